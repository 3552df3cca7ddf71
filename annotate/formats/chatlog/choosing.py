"""What is chosen for one log: scenario, rules and what is replaced; and the choice applied to its conversations."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.formats.base import BadOption
from annotate.formats.chatlog.conversations import Conversation
from annotate.formats.chatlog.rules import OFF, RULES, Rule, settled
from annotate.formats.chatlog.scenarios import SCENARIOS, Scenario
from annotate.formats.rows import printable
from lib.texts.anonymising import Anonymiser, Personal, Replacement
from lib.texts.personal_data import KINDS
from lib.texts.said import say

Place = tuple[int, int, int]  # line, turn, number of the finding in its text
MOST_KEPT = 10_000
_LATER = ("lowest_scored", "highest_scored")  # rules that older stored settings do not name


@dataclass(frozen=True)
class Chosen:
    """replaces: kinds of personal data. stays: places of replacements that somebody took back."""

    scenario: Scenario
    rules: Sequence[Rule]
    replaces: frozenset[str] = frozenset[str](KINDS)
    stays: frozenset[Place] = field(default=frozenset())

    def as_options(self) -> dict[str, str]:
        """As they stand in the settings of an import; `read` reads them."""
        return {
            "scenario": self.scenario.slug,
            "rules": json.dumps({name: self._value(name) for name in RULES}, ensure_ascii=False),
            "replaces": ",".join(kind for kind in KINDS if kind in self.replaces),
            "stays": ",".join(".".join(map(str, position)) for position in sorted(self.stays)),
        }

    def _value(self, name: str) -> str:
        return next((rule.value for rule in self.rules if rule.name == name), OFF)

    def replacing(self, kinds: Iterable[str], stays: Iterable[Place] = ()) -> "Chosen":
        return replace(self, replaces=frozenset(kinds) & frozenset(KINDS), stays=frozenset(stays))

    @property
    def compares(self) -> bool:
        """Whether any rule looks at all answers to a question together."""
        return any(rule.compares for rule in self.rules)

    def keeps(self, talk: Conversation) -> bool:
        return all(decision(rule, talk) for rule in self.rules)

    def anonymous(self, line: int, talk: Conversation) -> Conversation:
        """The conversation with placeholders where they are wanted."""
        writer = self._writer(talk)
        turns = []
        for turn_index, turn in enumerate(talk.turns):
            stays = {no for stays_in, stays_at, no in self.stays if (stays_in, stays_at) == (line, turn_index)}
            turns.append(turn | {"content": writer.replaced(turn["content"], stays=stays)})
        return replace(talk, turns=turns)

    def replacements(self, talk: Conversation) -> Iterator[tuple[int, Replacement]]:
        """(turn, replacement) of all that is replaced by kind, those taken back included."""
        writer = self._writer(talk)
        for turn_index, turn in enumerate(talk.turns):
            for replacement in writer.replacements(turn["content"]):
                yield turn_index, replacement

    def _writer(self, talk: Conversation) -> Anonymiser:
        return Anonymiser(self.replaces, Personal([turn["content"] for turn in talk.turns]))


def decision(rule: Rule, talk: Conversation) -> bool:
    """Whether the rule lets it stay; one that cannot tell says what it always says then."""
    if not rule.concerns(talk):
        return True
    verdict = rule.keeps(talk)
    return rule.silent if verdict is None else verdict


def choose(scenario: str, choices: Mapping[str, str] | None = None) -> Chosen:
    """The scenario's own rules with what is chosen instead: name -> value, or "off". Raises BadOption."""
    if scenario not in SCENARIOS:
        message = say("There is no scenario “%(name)s”. Scenarios: %(known)s.")
        raise BadOption(message % {"name": printable(scenario, most=60), "known": ", ".join(SCENARIOS)})
    definition = SCENARIOS[scenario]
    return Chosen(definition, settled(definition.rules, choices or {}))


def read(options: Mapping[str, str]) -> Chosen:
    """What `as_options` wrote. Raises BadOption."""
    choice = choose(options.get("scenario", ""), _known_then(_object(options.get("rules") or "{}")))
    stays = filter(None, map(place, options.get("stays", "").split(",")[:MOST_KEPT]))
    return choice.replacing(options.get("replaces", ",".join(KINDS)).split(","), stays)


def _known_then(choices: dict[str, str]) -> dict[str, str]:
    """Stored settings name every rule of their day: a rule that came later did not hold then."""
    names_all = RULES.keys() - set(_LATER) <= choices.keys()
    return dict.fromkeys(_LATER, OFF) | choices if names_all else choices


def _object(text: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(isinstance(entry, str) for entry in value.values()):
        raise BadOption(say("Rules must be an object of names and values."))
    return value


def place(text: str) -> Place | None:
    """`12.0.3`: line, turn, number; None of anything else."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return None
    line, turn, number = map(int, parts)
    return line, turn, number
