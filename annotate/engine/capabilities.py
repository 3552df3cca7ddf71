"""Capabilities of a model service: everything is assumed to work until a refusal names what it does not take."""

import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import Endpoint

REPLY_FORMATS = ("json_schema", "json_object", "text")
LENGTH_PARAMETERS = ("max_tokens", "max_completion_tokens", "")
SYSTEM_ROLES = ("system", "developer", "user")
# Optional parameters of a request.
OPTIONAL = ("temperature", "top_p", "seed", "reasoning_effort")


@dataclass(frozen=True)
class Capabilities:
    """Stored as JSON with the endpoint, learned from its answers.

    reply_format: how JSON is requested; `text`: in words only. length_parameter: the name of the parameter that limits
    a reply; "" if none is taken. system_role: the role of instructions; `user` puts them before the first message.
    omitted: optional parameters that are not sent. ignores_cap: a reply was longer than its limit. confirmed: sorts of
    requests (see `sort_of`) that the service has answered.
    """

    reply_format: str = REPLY_FORMATS[0]
    length_parameter: str = LENGTH_PARAMETERS[0]
    system_role: str = SYSTEM_ROLES[0]
    omitted: tuple[str, ...] = ()
    ignores_cap: bool = False
    confirmed: tuple[str, ...] = ()

    @classmethod
    def stored(cls, value: Any) -> "Capabilities":
        """Read the stored JSON; what cannot be understood counts as not learned."""
        value = value if isinstance(value, Mapping) else {}
        return cls(
            _known_value(value.get("reply_format"), REPLY_FORMATS),
            _known_value(value.get("length_parameter"), LENGTH_PARAMETERS),
            _known_value(value.get("system_role"), SYSTEM_ROLES),
            _names(value.get("omitted")),
            value.get("ignores_cap") is True,
            _names(value.get("confirmed")),
        )

    def as_json(self) -> dict[str, Any]:
        """Only what differs from a service that takes everything."""
        default = asdict(Capabilities())
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if value != default[name]
        }

    def joined(self, other: "Capabilities") -> "Capabilities":
        """What two workers have learned, merged: the later step of each."""
        return Capabilities(
            _later(self.reply_format, other.reply_format, REPLY_FORMATS),
            _later(self.length_parameter, other.length_parameter, LENGTH_PARAMETERS),
            _later(self.system_role, other.system_role, SYSTEM_ROLES),
            tuple(sorted({*self.omitted, *other.omitted})),
            self.ignores_cap or other.ignores_cap,
            tuple(sorted({*self.confirmed, *other.confirmed})),
        )

    def without(self, parameter: str) -> "Capabilities":
        """The same, with one optional parameter left out."""
        return replace(self, omitted=tuple(sorted({*self.omitted, parameter})))

    @property
    def lessons(self) -> dict[str, Any]:
        """What refusals have taught; empty for a service that takes everything."""
        return {name: value for name, value in self.as_json().items() if name not in ("confirmed", "ignores_cap")}


def _known_value(value: Any, values: tuple[str, ...]) -> str:
    return value if value in values else values[0]


def _names(value: Any) -> tuple[str, ...]:
    return tuple(sorted({name for name in value if isinstance(name, str)})) if isinstance(value, list | tuple) else ()


def _later(step: str, other_step: str, steps: tuple[str, ...]) -> str:
    return max(step, other_step, key=steps.index)


def step_after(value: str, steps: tuple[str, ...]) -> str | None:
    """The next thing to try; None after the last."""
    index = steps.index(value) + 1
    return steps[index] if index < len(steps) else None


# Lessons of a refusal: the next thing to try, if the service named what it does not take.


# Status codes of a refused request. 404: OpenRouter has no provider that takes the parameters.
STATUSES = frozenset({400, 404, 422, 501})
# Messages about the parameter itself. A value out of range is an error in the run's settings.
UNSUPPORTED = re.compile(
    r"unsupported|not support|n't support|only the default|unrecognized|unrecognised|unknown|unexpected|not permitted"
    r"|not allowed|extra (field|input)|additional propert|use '?max_completion_tokens|not available|incompatible"
    r"|invalid (parameter|argument) ?(name|:)",
    re.IGNORECASE,
)
FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|structured[_ ]output|guided[_ ](json|decoding)",
    re.IGNORECASE,
)
# Messages about a refused role. Chat templates of open models say that roles have to alternate.
ROLE = re.compile(
    r"\bsystem\b.{0,40}\brole\b|\brole\b.{0,60}\b(system|developer)\b|messages\[\d+\]\.role|\bdeveloper\b.{0,40}\brole\b"
    r"|\b(system|developer)\b.{0,20}\bmessages?\b|roles must alternate|unexpected role|unknown role",
    re.IGNORECASE | re.DOTALL,
)
NO_SUCH_PROVIDER = re.compile(r"no endpoints found that (support|can handle)", re.IGNORECASE)


@dataclass(frozen=True)
class Refusal:
    """A refused request, in the service's words.

    parameter: what the service itself names as the cause, such as `messages[0].role`; "" if it names nothing.
    """

    status: int
    message: str = ""
    parameter: str = ""
    code: str = ""

    def names(self, parameter: str) -> bool:
        """Whether it is about this parameter: by the field for it, else by a word of the message."""
        if self.parameter:
            return self.parameter.partition(".")[0].partition("[")[0] == parameter
        return bool(re.search(rf"(?<![\w-]){re.escape(parameter)}(?![\w-])", self.message))


def lesson(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    """What to try instead; None if the refusal is about something else, or nothing is left to try.

    sent: names of the parameters of the refused request, including `response_format` and `system`.
    """
    if refusal.status not in STATUSES:
        return None
    learned = None
    if UNSUPPORTED.search(f"{refusal.code} {refusal.message}"):
        learned = _of_the_cap(refusal, sent, capabilities) or _of_parameters(refusal, sent, capabilities)
    learned = learned or _of_the_format(refusal, sent, capabilities) or _of_the_role(refusal, sent, capabilities)
    return learned if learned != capabilities else None


def _of_the_cap(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    limit = capabilities.length_parameter
    if not limit or limit not in sent or not refusal.names(limit):
        return None
    following = step_after(limit, LENGTH_PARAMETERS)
    return None if following is None else replace(capabilities, length_parameter=following)


def _of_parameters(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    """Leave out every optional parameter that the refusal names."""
    names = [name for name in OPTIONAL if name in sent and refusal.names(name)]
    for name in names:
        capabilities = capabilities.without(name)
    return capabilities if names else None


def _of_the_format(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    if "response_format" not in sent:
        return None
    words = f"{refusal.parameter} {refusal.message}"
    if not FORMAT.search(words) and not NO_SUCH_PROVIDER.search(words):
        return None
    following = step_after(capabilities.reply_format, REPLY_FORMATS)
    return None if following is None else replace(capabilities, reply_format=following)


def _of_the_role(refusal: Refusal, sent: Collection[str], capabilities: Capabilities) -> Capabilities | None:
    if "system" not in sent or not ROLE.search(f"{refusal.parameter} {refusal.message}"):
        return None
    following = step_after(capabilities.system_role, SYSTEM_ROLES)
    return None if following is None else replace(capabilities, system_role=following)


# Storing what was learned with the endpoint.


MOST_REFUSALS = 20  # messages that are kept: a service refuses only a handful of things


def mark_simulated(endpoint: Endpoint) -> None:
    """From now on everything from this endpoint is shown as simulated, in pages, API and exports."""
    endpoint.simulated = True
    Endpoint.objects.filter(pk=endpoint.pk, simulated=False).update(simulated=True)


def keep_learned(endpoint: Endpoint, learned: Capabilities, refusal: str = "") -> Capabilities:
    """Store what the service takes, with its message if it refused; merged with what other workers have stored."""
    with transaction.atomic():
        stored = Endpoint.objects.select_for_update(no_key=True).only("capabilities", "refusals").get(pk=endpoint.pk)
        old_capabilities = Capabilities.stored(stored.capabilities)
        if not endpoint.strict_json:  # it was asked in words because of this setting, not because it refused
            learned = replace(learned, reply_format=old_capabilities.reply_format)
        new_capabilities = old_capabilities.joined(learned)
        refusals = list(stored.refusals)
        if refusal and new_capabilities.lessons != old_capabilities.lessons:
            refusals.append({"message": refusal, "at": timezone.now().isoformat()})
        if new_capabilities != old_capabilities:
            columns = {"capabilities": new_capabilities.as_json(), "refusals": refusals[-MOST_REFUSALS:]}
            Endpoint.objects.filter(pk=endpoint.pk).update(**columns)
    return new_capabilities
