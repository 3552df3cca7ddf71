"""What may be sent with every question beside it: of an endpoint, or of one run."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from annotate.kinds.shapes import faults
from annotate.llm.wire import NEVER_EXTRA
from annotate.models import Endpoint
from annotate.services.errors import Refused

LONGEST_EXTRA = 4000  # characters of JSON


class Parameters(BaseModel):
    """Of a run. What is missing is left to the endpoint, and then to each step."""

    model_config = ConfigDict(extra="forbid")

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    max_tokens: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    extra_body: dict[str, Any] | None = None


def read(values: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """Parameters of a run at this endpoint, checked; those not set are left out. Raises Refused."""
    try:
        parameters = Parameters.model_validate(dict(values)).model_dump(exclude_none=True)
    except ValidationError as error:
        raise Refused("; ".join(f"{fault.path}: {fault.message}" for fault in faults(error))) from error
    problems = _problems_of_extra(parameters.get("extra_body") or {}, endpoint.extra_allowed)
    if problems:
        raise Refused(" ".join(problems))
    return parameters


def faults_of_endpoint(endpoint: Endpoint) -> dict[str, list[str]]:
    """What is wrong with its extra body and with the names that one may hold, by column."""
    problems: dict[str, list[str]] = {}
    allowed = endpoint.extra_allowed
    if not isinstance(allowed, list) or not all(isinstance(name, str) and name for name in allowed):
        problems["extra_allowed"] = [_("Write names of parameters, such as top_k, with commas between them.")]
        return problems
    forbidden = sorted(NEVER_EXTRA & set(allowed))
    if forbidden:
        problems["extra_allowed"] = [
            _("%(names)s can never stand in an extra body: it is set elsewhere, or it changes what a call costs.")
            % {"names": ", ".join(forbidden)}
        ]
    if bad := _problems_of_extra(endpoint.extra_body, allowed):
        problems["extra_body"] = bad
    return problems


def _problems_of_extra(extra: Any, allowed: list[str]) -> list[str]:
    if not isinstance(extra, dict):
        return [_('The extra body is a JSON object, such as {"top_k": 20}.')]
    problems = []
    if len(json.dumps(extra)) > LONGEST_EXTRA:
        problems.append(_("The extra body is longer than %(most)s characters.") % {"most": LONGEST_EXTRA})
    unknown = sorted(name for name in extra if name not in allowed or name in NEVER_EXTRA)
    if unknown:
        problems.append(
            _("%(names)s may not stand in the extra body of this endpoint. Allowed: %(allowed)s.")
            % {"names": ", ".join(unknown)[:200], "allowed": ", ".join(allowed) or "–"}
        )
    return problems
