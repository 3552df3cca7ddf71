"""Model services: made, changed, retired; and which of them may be called."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Endpoint, User
from annotate.services.endpoints import parameters
from annotate.services.endpoints.addresses import Address, SimulatedAddress, read_address, refuse_never
from annotate.services.endpoints.keys import key_is_set, read_name
from annotate.services.errors import Refused

NOT_A_NAME = {"invalid", "max_length", "blank"}


class BadEndpoint(ValueError):
    """Values that an endpoint cannot have; `errors` says why, by column."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        self.errors = dict(errors)
        super().__init__(" ".join(message for messages in self.errors.values() for message in messages))


# --- which may be called ----------------------------------------------------------------------------------------------
def allowed_origins() -> set[str]:
    """What the browser may choose from: MODEL_ORIGINS, and what the command has approved and nobody retired."""
    approved = Endpoint.objects.filter(approved=True, retired_at=None).values_list("base_url", flat=True)
    return {origin for url in [*settings.MODEL_ORIGINS, *approved] if (origin := _origin(url))}


def _origin(url: str) -> str:
    """Empty where the address cannot be read: then it allows nothing."""
    try:
        return read_address(url).origin
    except Refused:
        return ""


def refuse_unless_callable(endpoint: Endpoint) -> None:
    """Raises Refused where nothing may be sent: retired, approval gone, a host that never is a model.

    To be asked before a run starts; what a name leads to may change after (docs/security.md).
    """
    if endpoint.retired_at:
        raise Refused(_("%(name)s is retired. Choose another endpoint, or bring it back.") % {"name": endpoint})
    address = read_address(endpoint.base_url)
    if not endpoint.approved:
        _refuse_unless_allowed(address)
    refuse_never(address)


def to_choose_from() -> QuerySet[Endpoint]:
    """What leads choose from when they plan: of each they see name, model, and whether it is simulated."""
    return Endpoint.objects.filter(retired_at=None)


def _refuse_unless_allowed(address: Address) -> None:
    if address.origin not in allowed_origins():
        raise Refused(
            _(
                "%(origin)s is not approved. Whoever runs the server adds it to MODEL_ORIGINS, "
                "or makes the endpoint with the command `endpoint`."
            )
            % {"origin": address.origin}
        )


# --- made and changed -------------------------------------------------------------------------------------------------
def create(*, by: User | None, **columns: Any) -> Endpoint:
    """A new endpoint. by: who made it in the browser; None for the command, which approves. Raises BadEndpoint."""
    endpoint = Endpoint(created_by=by, approved=by is None)
    return _written(endpoint, columns, approving=by is None)


def change(endpoint: Endpoint, *, by: User | None, **columns: Any) -> Endpoint:
    """Other values; those not given stay. The command approves, and brings back what was retired.

    In the browser a new origin has to be an allowed one, as at creation. Raises BadEndpoint.
    """
    if by is None:
        endpoint.retired_at = None
    return _written(endpoint, columns, approving=by is None)


def retire(endpoint: Endpoint) -> None:
    """It can no longer be chosen, and approves no origin; its runs stay."""
    Endpoint.objects.filter(pk=endpoint.pk, retired_at=None).update(retired_at=timezone.now())


def forget_learned(endpoint: Endpoint) -> None:
    """Its service is taken to accept everything, until it refuses something again."""
    Endpoint.objects.filter(pk=endpoint.pk).update(capabilities={}, refusals=[])


def bring_back(endpoint: Endpoint) -> None:
    """A retired one can be chosen again. Raises Refused where its origin is not an allowed one any more."""
    address = read_address(endpoint.base_url)
    if not endpoint.approved:
        _refuse_unless_allowed(address)
    refuse_never(address)
    Endpoint.objects.filter(pk=endpoint.pk).update(retired_at=None)


def _written(endpoint: Endpoint, columns: Mapping[str, Any], *, approving: bool) -> Endpoint:
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
            errors["name"] = [_("A name has letters, digits, hyphens and underscores, 60 at most, such as gpt-small.")]
    errors |= parameters.faults_of_endpoint(endpoint)
    if errors:
        raise BadEndpoint(errors)
    if endpoint.pk and _service(endpoint) != service:
        endpoint.capabilities, endpoint.refusals = {}, []
    return _saved(endpoint)


def _service(endpoint: Endpoint) -> tuple[str, ...]:
    """What decides who answers: of another one nothing is known."""
    return endpoint.base_url, endpoint.model, endpoint.api_version


def _approve(endpoint: Endpoint, address: Address, old_url: str, *, approving: bool) -> None:
    """Keep whose word the origin stands on. A change that leaves the origin leaves its approval."""
    if approving:
        endpoint.approved = True
    elif not endpoint.approved or _origin(old_url) != address.origin:
        _refuse_unless_allowed(address)
        endpoint.approved = False
    refuse_never(address)


def _saved(endpoint: Endpoint) -> Endpoint:
    try:
        with transaction.atomic():
            endpoint.save()
    except IntegrityError as conflict:  # both made in the same moment
        raise BadEndpoint({"name": [_("Somebody has made an endpoint of this name in this moment.")]}) from conflict
    return endpoint


def hints(endpoint: Endpoint) -> list[str]:
    """What is allowed and yet worth knowing, a sentence each."""
    sentences = []
    if not key_is_set(endpoint):
        sentences.append(
            _("%(variable)s is not set in this process. Set it for web server and worker, then start both anew.")
            % {"variable": endpoint.key_env}
        )
    address = read_address(endpoint.base_url)
    if address.scheme == "http" and endpoint.key_env and not _is_here(address):
        sentences.append(_("The key goes over the network unencrypted. Use https:// if the service offers it."))
    if not endpoint.is_priced and not endpoint.simulated:
        sentences.append(
            _("Without prices every call counts as free, and no budget can stop a run. Enter both prices.")
        )
    return sentences


def _is_here(address: Address) -> bool:
    return address.host == "localhost" or bool(address.literal and address.literal.is_loopback)
