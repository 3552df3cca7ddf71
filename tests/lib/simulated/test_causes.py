"""Every misbehaviour ends, in our client, in the cause that the library documents."""

import pytest
from pydantic import BaseModel

from annotate.engine.client import Client
from annotate.kinds.protocol import Question
from annotate.models import Endpoint
from lib.simulated.misbehaviours import LIBRARY
from tests.annotate.engine.asked import QUERY
from tests.support.model_server import ModelServer
from tests.support.running import run


class Judgement(BaseModel):
    reason: str
    score: int
    rows: list[str]


@pytest.mark.parametrize("what", LIBRARY)
def test_it_ends_in_its_cause_and_nobody_is_led_elsewhere(model_server: ModelServer, what: str) -> None:
    endpoint = Endpoint(name="e", base_url=model_server.base_url, model="m", deadline=1, max_in_flight=2)
    question = Question("judge", [{"role": "user", "content": QUERY}], Judgement)

    async def asked() -> tuple[str | None, object]:
        async with Client(endpoint) as client:
            answered = await client.ask_once(question)
            return answered.cause, answered.read

    model_server.misbehave(what)
    cause, read = run(asked())
    assert cause == LIBRARY[what].cause
    assert (read is not None) is (cause is None)
    assert (model_server.calls.requests, model_server.calls.elsewhere) == (1, 0)
