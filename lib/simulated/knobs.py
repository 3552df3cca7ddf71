"""Settings of the simulated model that can also be changed while it runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from lib.simulated.profiles import DEFAULT_PROFILE, PROFILES

# How far answers lean, each from 0 (not at all) to 1 (always).
BIASES = {
    "position": "of two or more answers that are compared, the one shown first is preferred",
    "leniency": "scores come out higher than deserved, and yes is said more often",
    "severity": "no is said more often to the questions of a checklist",
    "noise": "so many questions of a checklist are decided by a coin",
    "blindness": "so many mistakes are overlooked in answers that are scored or compared",
    "carelessness": "so many questions of a checklist are not repeated word for word, and with another weight",
}


class BadKnob(ValueError):
    """A setting that does not exist, or a value out of its range; the message says which."""


@dataclass(frozen=True)
class Knobs:
    """seed: another one gives other answers. latency: seconds before an answer. skill: share of right answers, 0..1.

    biases: name of BIASES -> 0..1. faults: name of a misbehaviour -> share of the requests, together at most 1.
    key: what must stand in `Authorization: Bearer …`, empty for anything. context_length: tokens of a prompt.
    profile: the service whose manners it takes on, see profiles.py.
    span_pattern: regular expression of what questions of spans ask for; "" for spans drawn at random. Of its places,
    the share span_recall is marked, and so many others that span_precision is the share of right ones, each on average.
    """

    seed: int = 1
    latency: float = 0.02
    skill: float = 0.85
    biases: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, float] = field(default_factory=dict)
    key: str = ""
    context_length: int = 128_000
    profile: str = DEFAULT_PROFILE
    span_pattern: str = ""
    span_recall: float = 1.0
    span_precision: float = 1.0

    def __post_init__(self) -> None:
        _within("skill", self.skill, 1)
        _within("latency", self.latency, 3600)
        _within("span_recall", self.span_recall, 1)
        _within("span_precision", self.span_precision, 1)
        _check_pattern(self.span_pattern, self.span_precision)
        for name, share in self.biases.items():
            if name not in BIASES:
                raise BadKnob(f"There is no bias {name!r}; there are {', '.join(BIASES)}.")
            _within(f"bias {name}", share, 1)
        for name, share in self.faults.items():
            _within(f"share of {name}", share, 1)
        if self.profile not in PROFILES:
            raise BadKnob(f"There is no profile {self.profile!r}; there are {', '.join(PROFILES)}.")
        if sum(self.faults.values()) > 1 + 1e-9:
            raise BadKnob("The shares of the misbehaviours add up to more than 1.")

    def changed(self, settings: Mapping[str, Any]) -> "Knobs":
        """These knobs with some turned. Raises BadKnob."""
        unknown = sorted(set(settings) - {knob.name for knob in fields(self)})
        if unknown:
            raise BadKnob(f"There is no knob {', '.join(unknown)}.")
        return replace(self, **settings)

    def bias(self, name: str) -> float:
        return self.biases.get(name, 0.0)


def _check_pattern(pattern: Any, precision: float) -> None:
    try:
        re.compile(pattern)
    except (re.error, TypeError) as fault:
        raise BadKnob(f"span_pattern is {pattern!r}, which is no regular expression: {fault}.") from fault
    if not precision:
        raise BadKnob("span_precision is 0; it must be above 0, as right spans come in proportion to false ones.")


def _within(name: str, value: Any, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise BadKnob(f"{name} is {value!r}; it must be a number from 0 to {most}.")
