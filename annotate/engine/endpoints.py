"""Model endpoints: their keys, their parameters, how they are created, changed and retired, and which may be called.

Keys stay in the environment; only the name of the variable is stored here.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as pydantic_ValidationError

from annotate.audit.trail import record, recording, stored_values, values_of
from annotate.engine.addresses import Address, SimulatedAddress, read_address, refuse_never
from annotate.engine.wire import NEVER_EXTRA
from annotate.errors import Refused
from annotate.kinds.shapes import faults
from annotate.models import Endpoint, User
from lib.texts.sentences import paragraph

# Capitals only: a text with small letters is more likely the key itself, which must not be stored.
NAME = re.compile(r"[A-Z][A-Z0-9_]{0,79}")
OURS = {"SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL", "EMAIL_URL", "DEMO_PASSWORD"}
HIDDEN = "•••"


def read_name(text: str) -> str:
    """The name of a variable, or "" for a service without a key. Raises Refused, which never repeats the input."""
    name = text.strip()
    if name and not NAME.fullmatch(name):
        raise Refused(
            _(
                "This is not the name of an environment variable. Use capitals, digits and _ only, such as "
                "MODEL_KEY. If you entered the key itself: it was not stored. Put it into an environment "
                "variable of the server."
            )
        )
    if name in OURS:
        raise Refused(
            _("%(name)s is a secret of this installation. Enter the variable that holds the service's key.")
            % {"name": name}
        )
    return name


def key_is_set(endpoint: Endpoint) -> bool:
    """Whether the variable has a value in this process; a service without a key needs none."""
    return not endpoint.key_env or bool(os.environ.get(endpoint.key_env, "").strip())


def without_key(text: str, endpoint: Endpoint) -> str:
    """A service's message with its key masked: some services repeat the key when they refuse it."""
    key = os.environ.get(endpoint.key_env, "").strip() if endpoint.key_env else ""
    return text.replace(key, HIDDEN) if key else text


# Parameters: what may be sent with every question, set by an endpoint or by one run.


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


def check_parameters(values: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """A run's parameters for this endpoint, checked; those not set are left out. Raises Refused."""
    try:
        parameters = Parameters.model_validate(dict(values)).model_dump(exclude_none=True)
    except pydantic_ValidationError as error:
        raise Refused("; ".join(f"{fault.path}: {fault.message}" for fault in faults(error))) from error
    problems = _problems_of_extra(parameters.get("extra_body") or {}, endpoint.extra_allowed)
    if problems:
        raise Refused(paragraph(problems))
    return parameters


def faults_of_endpoint(endpoint: Endpoint) -> dict[str, list[str]]:
    """Errors in its extra body and in the names that an extra body may hold, by column."""
    problems: dict[str, list[str]] = {}
    allowed = endpoint.extra_allowed
    if not isinstance(allowed, list) or not all(isinstance(name, str) and name for name in allowed):
        problems["extra_allowed"] = [_("Enter parameter names separated by commas, such as top_k.")]
        return problems
    forbidden = sorted(NEVER_EXTRA & set(allowed))
    if forbidden:
        problems["extra_allowed"] = [
            _("%(names)s cannot be in an extra body: it is set elsewhere, or it changes what a call costs.")
            % {"names": ", ".join(forbidden)}
        ]
    if bad := _problems_of_extra(endpoint.extra_body, allowed):
        problems["extra_body"] = bad
    return problems


def _problems_of_extra(extra: Any, allowed: list[str]) -> list[str]:
    if not isinstance(extra, dict):
        return [_('The extra body must be a JSON object, such as {"top_k": 20}.')]
    problems = []
    if len(json.dumps(extra)) > LONGEST_EXTRA:
        problems.append(_("The extra body is longer than %(most)s characters.") % {"most": LONGEST_EXTRA})
    unknown = sorted(name for name in extra if name not in allowed or name in NEVER_EXTRA)
    if unknown:
        problems.append(
            _("%(names)s is not allowed in the extra body of this endpoint. Allowed: %(allowed)s.")
            % {"names": ", ".join(unknown)[:200], "allowed": ", ".join(allowed) or "–"}
        )
    return problems


# Endpoints: created, changed, retired; and which of them may be called.


NOT_A_NAME = {"invalid", "max_length", "blank"}


class BadEndpoint(ValueError):
    """Values that an endpoint cannot have; `errors` says why, by column."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        self.errors = dict(errors)
        super().__init__(paragraph(message for messages in self.errors.values() for message in messages))


# --- which may be called ----------------------------------------------------------------------------------------------
def allowed_origins() -> set[str]:
    """Origins that may be used in the browser: MODEL_ORIGINS, and those approved by the command and not retired."""
    approved = Endpoint.objects.filter(approved=True, retired_at=None).values_list("base_url", flat=True)
    return {origin for url in [*settings.MODEL_ORIGINS, *approved] if (origin := _origin(url))}


def _origin(url: str) -> str:
    """The origin; empty if the address cannot be read: then it allows nothing."""
    try:
        return read_address(url).origin
    except Refused:
        return ""


def refuse_unless_callable(endpoint: Endpoint) -> None:
    """Raises Refused if nothing may be sent there: retired, approval gone, or a host that is never a model.

    Call it before a run starts; the address behind a name may change later (docs/security.md).
    """
    if endpoint.retired_at:
        raise Refused(_("%(name)s is retired. Choose another endpoint, or bring it back.") % {"name": endpoint})
    address = read_address(endpoint.base_url)
    if not endpoint.approved:
        _refuse_unless_allowed(address)
    refuse_never(address)


def to_choose_from() -> QuerySet[Endpoint]:
    """The endpoints that leads can plan with: leads see the name, the model, and whether it is simulated."""
    return Endpoint.objects.filter(retired_at=None)


def only_simulated() -> bool:
    """Whether there are endpoints, all of them simulated."""
    sorts = set(to_choose_from().order_by().values_list("simulated", flat=True).distinct())
    return sorts == {True}


def _refuse_unless_allowed(address: Address) -> None:
    if address.origin not in allowed_origins():
        raise Refused(
            _(
                "%(origin)s is not approved. The server administrator can add it to MODEL_ORIGINS, or "
                "create the endpoint with the command `endpoint`."
            )
            % {"origin": address.origin}
        )


# --- made and changed -------------------------------------------------------------------------------------------------
def create(*, by: User | None, **columns: Any) -> Endpoint:
    """A new endpoint. by: who created it in the browser; None for the command, which approves. Raises BadEndpoint."""
    endpoint = Endpoint(created_by=by, approved=by is None)
    return _write_endpoint(endpoint, columns, approving=by is None)


def change(endpoint: Endpoint, *, by: User | None, **columns: Any) -> Endpoint:
    """Change values; those not given stay. The command approves, and brings back a retired endpoint.

    In the browser a new origin has to be an allowed one, as at creation. Raises BadEndpoint.
    """
    if by is None:
        endpoint.retired_at = None
    return _write_endpoint(endpoint, columns, approving=by is None)


def retire(endpoint: Endpoint) -> None:
    """Retire it: it can no longer be chosen and approves no origin; its runs stay."""
    with recording("endpoint.retired", endpoint, "retired_at"):
        Endpoint.objects.filter(pk=endpoint.pk, retired_at=None).update(retired_at=timezone.now())


def forget_learned(endpoint: Endpoint) -> None:
    """Assume again that its service accepts everything, until it refuses something."""
    with recording("endpoint.forgot", endpoint, "capabilities"):
        Endpoint.objects.filter(pk=endpoint.pk).update(capabilities={}, refusals=[])


def bring_back(endpoint: Endpoint) -> None:
    """A retired one can be chosen again. Raises Refused if its origin is no longer allowed."""
    address = read_address(endpoint.base_url)
    if not endpoint.approved:
        _refuse_unless_allowed(address)
    refuse_never(address)
    with recording("endpoint.returned", endpoint, "retired_at"):
        Endpoint.objects.filter(pk=endpoint.pk).update(retired_at=None)


def _write_endpoint(endpoint: Endpoint, columns: Mapping[str, Any], *, approving: bool) -> Endpoint:
    old_url, service = endpoint.base_url, _service(endpoint)
    errors: dict[str, list[str]] = {}
    for name, value in columns.items():
        setattr(endpoint, name, value)
    try:
        address = read_address(endpoint.base_url)
        _approve(endpoint, address, old_url, approving=approving)
        endpoint.base_url = str(address)
        endpoint.simulated = endpoint.simulated or isinstance(address, SimulatedAddress)
    except Refused as refused:
        errors["base_url"] = [str(refused)]
    try:
        endpoint.key_env = read_name(endpoint.key_env)
    except Refused as refused:
        endpoint.key_env = ""
        errors["key_env"] = [str(refused)]
    endpoint.model = endpoint.model.strip()
    try:
        endpoint.full_clean(exclude=errors)
    except ValidationError as fault:
        errors |= fault.message_dict
        if NOT_A_NAME & {error.code for error in fault.error_dict.get("name", [])}:
            errors["name"] = [_("Use letters, digits, hyphens and underscores, up to 60, such as gpt-small.")]
    errors |= faults_of_endpoint(endpoint)
    if errors:
        raise BadEndpoint(errors)
    if endpoint.pk and _service(endpoint) != service:
        endpoint.capabilities, endpoint.refusals = {}, []
    return _saved(endpoint)


def _service(endpoint: Endpoint) -> tuple[str, ...]:
    """What identifies the service that answers; if it changes, what was learned is forgotten."""
    return endpoint.base_url, endpoint.model, endpoint.api_version


def _approve(endpoint: Endpoint, address: Address, old_url: str, *, approving: bool) -> None:
    """Store who approved the origin. If the origin does not change, its approval stays."""
    if approving:
        endpoint.approved = True
    elif not endpoint.approved or _origin(old_url) != address.origin:
        _refuse_unless_allowed(address)
        endpoint.approved = False
    refuse_never(address)


# What the audit trail keeps of an endpoint; what was learned about its service is no setting.
RECORDED = (
    *("name", "base_url", "model", "key_env", "price_in", "price_out", "max_in_flight", "requests_a_minute"),
    *("tokens_a_minute", "deadline", "attempts", "context_length", "strict_json", "takes_images", "api_version"),
    *("temperature", "top_p", "seed", "reasoning_effort", "max_tokens", "extra_body", "extra_allowed", "simulated"),
    *("approved", "retired_at"),
)


def _saved(endpoint: Endpoint) -> Endpoint:
    try:
        with transaction.atomic():
            before = stored_values(endpoint, *RECORDED) if endpoint.pk else None
            endpoint.save()
            after = values_of(endpoint, *RECORDED)
            record("endpoint.changed" if before else "endpoint.created", endpoint, before=before, after=after)
    except IntegrityError as conflict:  # both were created at the same time
        raise BadEndpoint({"name": [_("Someone has just created an endpoint with this name.")]}) from conflict
    return endpoint


def hints(endpoint: Endpoint) -> list[str]:
    """Settings that are allowed but worth knowing about, a sentence each."""
    sentences = []
    if not key_is_set(endpoint):
        sentences.append(
            _("%(variable)s is not set in this process. Set it for web server and worker, then restart both.")
            % {"variable": endpoint.key_env}
        )
    address = read_address(endpoint.base_url)
    if address.scheme == "http" and endpoint.key_env and not _is_here(address):
        sentences.append(_("The key is sent unencrypted. Use https:// if the service offers it."))
    if not endpoint.is_priced and not endpoint.simulated:
        sentences.append(
            _("Without prices, every call counts as free and no budget can stop a run. Enter both prices.")
        )
    return sentences


def _is_here(address: Address) -> bool:
    return address.host == "localhost" or bool(address.literal and address.literal.is_loopback)
