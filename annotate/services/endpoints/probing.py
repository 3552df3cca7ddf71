"""One small question to an endpoint, and what came of it in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.kinds.causes import Cause
from annotate.models import Endpoint
from annotate.services.endpoints import refuse_unless_callable
from annotate.services.endpoints.advice import advice
from annotate.services.endpoints.keys import without_key


@dataclass(frozen=True)
class Tried:
    """cause, what_to_do: empty where it answered. detail: the service's own words, without its key.

    refusals: its words about what it does not take; what they taught is kept with the endpoint.
    """

    ok: bool
    cause: str
    what_to_do: str
    detail: str
    milliseconds: int | None
    model: str
    refusals: Sequence[str] = ()


def tried(endpoint: Endpoint) -> Tried:
    """Sends one request, outside of any run. Raises Refused where nothing may be sent there."""
    from annotate.llm import client, marking  # heavy, and needed by nothing else in a web process

    refuse_unless_callable(endpoint)
    probe = client.probe(endpoint)
    if probe.simulated:
        marking.mark_simulated(endpoint)
    refusals = [without_key(words, endpoint) for words in probe.refusals]
    if probe.capabilities.as_json() and endpoint.pk:
        marking.keep_learned(endpoint, probe.capabilities, "; ".join(refusals))
        endpoint.refresh_from_db(fields=["capabilities", "refusals"])
    cause = Cause(probe.cause) if probe.cause else None
    return Tried(
        ok=probe.ok,
        cause=str(cause.label) if cause else "",
        what_to_do=advice(cause, endpoint) if cause else "",
        detail=without_key(probe.detail, endpoint),
        milliseconds=probe.milliseconds,
        model=without_key(probe.model, endpoint),
        refusals=refusals,
    )
