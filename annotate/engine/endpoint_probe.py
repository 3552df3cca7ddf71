"""The probe of an endpoint: one short question, asked again in another way each time the service refuses something."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel

from annotate.engine import wire
from annotate.engine.capabilities import Capabilities
from annotate.engine.concurrency import run_beside_loop
from annotate.engine.replies import ParsedReply
from annotate.kinds.protocol import Cause, Question, QuestionImage
from annotate.models import Endpoint


class Ready(BaseModel):
    ready: bool


@dataclass(frozen=True)
class Probe:
    """The result of an endpoint's test. milliseconds: None if nothing answered. model: its name as the service gives
    it.

    simulated: the service says that it is the simulated model. capabilities: what it takes, as far as the test has
    shown. refusals: its own messages about what it does not take, in order.
    """

    ok: bool
    cause: Cause | None
    detail: str
    milliseconds: int | None
    model: str
    simulated: bool = False
    capabilities: Capabilities = field(default_factory=Capabilities)
    refusals: Sequence[str] = ()


# With everything that runs send, so that the service can say what it does not take.
GREETING = Question(
    "probe",
    [
        {"role": "system", "content": "You answer in JSON, in the shape that is asked for, and with nothing else."},
        {"role": "user", "content": 'Are you ready? Answer with the JSON object {"ready": true}.'},
    ],
    Ready,
    temperature=0.0,
    max_tokens=256,
)
# What an endpoint that takes images is sent too: a white square, large enough for services that refuse tiny images.
WHITE = QuestionImage("A white square", "", "white", "image/png")
WHITE_SQUARE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAK0lEQVR42u3MMREAAAgEoNf+nTWEmwcBqMlNRyAQCAQC"
    "gUAgEAgEAsHzYAFQLQF/OJ8+2wAAAABJRU5ErkJggg=="
)
# The service has answered as a model does. The content of its answer does not matter, nor does it matter if the
# token limit was too low.
WELL = {None, Cause.TRUNCATED, Cause.EMPTY, Cause.REFUSED, Cause.NOT_JSON, Cause.WRONG_SHAPE}


def probe(endpoint: Endpoint) -> Probe:
    """Ask one short question; repeat it in another way each time the service names something that it does not take.

    For the test button: nothing is stored.
    """
    answers, capabilities = run_beside_loop(_ask_until_it_fits(endpoint))
    answered = answers[-1]
    received, reached = answered.received, answered.cause not in (Cause.NO_KEY, Cause.CONNECTION, Cause.TIMEOUT)
    ok = answered.cause in WELL
    return Probe(
        ok,
        None if ok else answered.cause,
        received.detail,
        answered.milliseconds if reached else None,
        received.model,
        received.simulated,
        capabilities,
        [refused.received.detail for refused in answers[:-1]],
    )


async def _ask_until_it_fits(endpoint: Endpoint) -> tuple[list[ParsedReply], Capabilities]:
    """Each lesson changes the request at most once, so there are only a few requests."""
    from annotate.engine.client import Client  # here: it brings openai and aiohttp along, which few processes need

    greeting = replace(GREETING, images=[WHITE]) if endpoint.takes_images else GREETING
    question, answers = wire.with_parameters(greeting, wire.parameters_of(endpoint)), []
    async with Client(endpoint) as client:
        while True:
            answered = await client.ask_once(question, {WHITE.sha256: WHITE_SQUARE})
            answers.append(answered)
            if answered.learned is not None:
                client.capabilities = client.capabilities.joined(answered.learned)
            if not answered.ask_again:
                return answers, client.capabilities
