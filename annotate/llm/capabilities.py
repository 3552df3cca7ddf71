"""What a model service takes: assumed to be everything, until a refusal names what it does not take."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

REPLY_FORMATS = ("json_schema", "json_object", "text")
LENGTH_PARAMETERS = ("max_tokens", "max_completion_tokens", "")
SYSTEM_ROLES = ("system", "developer", "user")
# Parameters that a request can do without.
OPTIONAL = ("temperature", "top_p", "seed", "reasoning_effort")


@dataclass(frozen=True)
class Capabilities:
    """Stored as JSON with the endpoint, learned from its answers.

    reply_format: how JSON is asked for; `text`: in words only. length_parameter: the name of the parameter that caps a
    reply; "" where none is taken. system_role: the role of instructions; `user` puts them before the first message.
    omitted: optional parameters that are not sent. ignores_cap: a reply was longer than its cap. confirmed: sorts of
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
        """As stored; what cannot be understood is taken as not learned."""
        value = value if isinstance(value, Mapping) else {}
        return cls(
            _known(value.get("reply_format"), REPLY_FORMATS),
            _known(value.get("length_parameter"), LENGTH_PARAMETERS),
            _known(value.get("system_role"), SYSTEM_ROLES),
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
        """What two workers have learned, together: of each the later step."""
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


def _known(value: Any, values: tuple[str, ...]) -> str:
    return value if value in values else values[0]


def _names(value: Any) -> tuple[str, ...]:
    return tuple(sorted({name for name in value if isinstance(name, str)})) if isinstance(value, list | tuple) else ()


def _later(step: str, other_step: str, steps: tuple[str, ...]) -> str:
    return max(step, other_step, key=steps.index)


def step_after(value: str, steps: tuple[str, ...]) -> str | None:
    """The next thing to try; None after the last."""
    index = steps.index(value) + 1
    return steps[index] if index < len(steps) else None
