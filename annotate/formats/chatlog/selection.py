"""The selection for one log: scenario, rules and replacements; how it is applied and counted; and the format."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotate.formats.chatlog.conversations import SCENARIOS, Conversation, Scenario, UnknownShape, conversation
from annotate.formats.chatlog.rules import OFF, RULES, Rule, settled
from annotate.formats.format import BadOption, Format
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem, printable
from annotate.formats.source import Source
from lib.texts.anonymisation import Anonymiser, Personal, Replacement
from lib.texts.conversations import UnreadableConversation
from lib.texts.personal_data import KINDS
from lib.texts.stored_sentences import say

Place = tuple[int, int, int]  # line, turn, number of the finding in its text
MOST_KEPT = 10_000
_LATER = ("lowest_scored", "highest_scored")  # rules that older stored settings do not list


@dataclass(frozen=True)
class LogSelection:
    """replaces: kinds of personal data. stays: places of replacements that somebody reverted."""

    scenario: Scenario
    rules: Sequence[Rule]
    replaces: frozenset[str] = frozenset[str](KINDS)
    stays: frozenset[Place] = field(default=frozenset())

    def as_options(self) -> dict[str, str]:
        """As the settings of an import store it; `parse_options` reads it."""
        return {
            "scenario": self.scenario.slug,
            "rules": json.dumps({name: self._value(name) for name in RULES}, ensure_ascii=False),
            "replaces": ",".join(kind for kind in KINDS if kind in self.replaces),
            "stays": ",".join(".".join(map(str, position)) for position in sorted(self.stays)),
        }

    def _value(self, name: str) -> str:
        return next((rule.value for rule in self.rules if rule.name == name), OFF)

    def replacing(self, kinds: Iterable[str], stays: Iterable[Place] = ()) -> "LogSelection":
        return replace(self, replaces=frozenset(kinds) & frozenset(KINDS), stays=frozenset(stays))

    @property
    def compares(self) -> bool:
        """Whether any rule compares all answers to a question."""
        return any(rule.compares for rule in self.rules)

    def keeps(self, talk: Conversation) -> bool:
        return all(decision(rule, talk) for rule in self.rules)

    def anonymous(self, line: int, talk: Conversation) -> Conversation:
        """The conversation with the selected placeholders."""
        writer = self._writer(talk)
        turns = []
        for turn_index, turn in enumerate(talk.turns):
            stays = {no for stays_in, stays_at, no in self.stays if (stays_in, stays_at) == (line, turn_index)}
            turns.append(turn | {"content": writer.replaced(turn["content"], stays=stays)})
        return replace(talk, turns=turns)

    def replacements(self, talk: Conversation) -> Iterator[tuple[int, Replacement]]:
        """(turn, replacement) of everything that is replaced by kind, including reverted ones."""
        writer = self._writer(talk)
        for turn_index, turn in enumerate(talk.turns):
            for replacement in writer.replacements(turn["content"]):
                yield turn_index, replacement

    def _writer(self, talk: Conversation) -> Anonymiser:
        return Anonymiser(self.replaces, Personal([turn["content"] for turn in talk.turns]))


def decision(rule: Rule, talk: Conversation) -> bool:
    """Whether the rule keeps it; without the information, the rule's fixed decision applies."""
    if not rule.concerns(talk):
        return True
    verdict = rule.keeps(talk)
    return rule.silent if verdict is None else verdict


def choose(scenario: str, choices: Mapping[str, str] | None = None) -> LogSelection:
    """The scenario's rules with the choices applied: name -> value, or "off". Raises BadOption."""
    if scenario not in SCENARIOS:
        message = say("There is no scenario “%(name)s”. Scenarios: %(known)s.")
        raise BadOption(message % {"name": printable(scenario, most=60), "known": ", ".join(SCENARIOS)})
    definition = SCENARIOS[scenario]
    return LogSelection(definition, settled(definition.rules, choices or {}))


def parse_options(options: Mapping[str, str]) -> LogSelection:
    """The selection from what `as_options` wrote. Raises BadOption."""
    choice = choose(options.get("scenario", ""), _rules_of_their_day(_object(options.get("rules") or "{}")))
    stays = filter(None, map(parse_place, options.get("stays", "").split(",")[:MOST_KEPT]))
    return choice.replacing(options.get("replaces", ",".join(KINDS)).split(","), stays)


def _rules_of_their_day(choices: dict[str, str]) -> dict[str, str]:
    """Stored settings list every rule of their time: a rule that was added later is off."""
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


def parse_place(text: str) -> Place | None:
    """`12.0.3`: line, turn, number; None for anything else."""
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return None
    line, turn, number = map(int, parts)
    return line, turn, number


# Comparison of the answers to one question: which has the lowest score in a log, and which the highest.
#
# Source: FB-Bench (arXiv 2410.09412), 2.4: of the answers that people scored, error correction takes the lowest.


NumberedConversation = tuple[int, Conversation]  # line, its conversation


@dataclass(slots=True)
class Range:
    """Over the answers to one question: the lowest and the highest score, and the first line that has each."""

    low: float
    low_line: int
    high: float
    high_line: int

    def take(self, score: float, line: int) -> None:
        if score < self.low:
            self.low, self.low_line = score, line
        if score > self.high:
            self.high, self.high_line = score, line


def compared(log: Callable[[], Iterable[NumberedConversation | Problem]]) -> Iterator[NumberedConversation | Problem]:
    """The log with `lowest` and `highest` set on its scored answers. log: yields it from the beginning; it is read
    twice.

    Two questions are the same if their words are, whatever their line breaks. Of equal scores the first line counts, so
    that each question has one lowest and one highest answer. Memory grows with the questions, not with their texts.
    """
    ranges: dict[bytes, Range] = {}
    for entry in log():
        if isinstance(entry, Problem) or entry[1].score is None:
            continue
        line, talk = entry
        assert talk.score is not None
        ranges.setdefault(_question(talk), Range(talk.score, line, talk.score, line)).take(talk.score, line)
    for entry in log():
        if isinstance(entry, Problem) or entry[1].score is None:
            yield entry
            continue
        line, talk = entry
        among = ranges[_question(talk)]
        yield line, replace(talk, lowest=among.low_line == line, highest=among.high_line == line)


def _question(talk: Conversation) -> bytes:
    words = " ".join(talk.asked[0].split())
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()


# Counts: how many conversations each rule keeps, alone and in its position, with examples of those it removes.


EXAMPLES_SHOWN = 3
KEPT_SHOWN = 5


@dataclass(frozen=True)
class ConversationExample:
    line: int
    talk: Conversation


@dataclass
class RuleTally:
    """How one rule decides over a log.

    of: conversations that it applies to; alone: how many of them it would keep as the only rule; silent: how many of
    them lack the information that it needs. left: kept by it and all rules before it, of all conversations; cut:
    removed by it, of those that all rules before it keep. away: some of those that it is the first to remove.
    """

    rule: Rule
    of: int = 0
    alone: int = 0
    left: int = 0
    cut: int = 0
    silent: int = 0
    away: list[ConversationExample] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        counts = {"of": self.of, "alone": self.alone, "in_order": self.left, "cut": self.cut, "silent": self.silent}
        return {"rule": self.rule.name, "value": self.rule.value, **counts}


@dataclass
class RuleCounts:
    """read: conversations; bad: lines that hold none. kept: some of those that every rule keeps."""

    tallies: Sequence[RuleTally]
    read: int = 0
    bad: int = 0
    left: int = 0
    problems: list[Problem] = field(default_factory=list)
    kept: list[ConversationExample] = field(default_factory=list)
    found: list[tuple[ConversationExample, int, Replacement]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"conversations": self.read, "chosen": self.left, "bad": self.bad}


def count_conversations(
    choice: LogSelection, log: Iterable[NumberedConversation | Problem], *, examples: bool = True, listed: int = 0
) -> RuleCounts:
    """Count in one pass. listed: the most replacements that are collected, from conversations that are kept."""
    whole = RuleCounts([RuleTally(rule) for rule in choice.rules])
    for entry in log:
        if isinstance(entry, Problem):
            whole.bad += entry.line is not None
            whole.problems += [entry] if len(whole.problems) < 100 else []
            continue
        example = ConversationExample(*entry)
        whole.read += 1
        if _passes(whole, example, examples=examples):
            whole.left += 1
            if examples and len(whole.kept) < KEPT_SHOWN:
                whole.kept.append(example)
            if len(whole.found) < listed:
                whole.found += [
                    (example, turn_index, replacement) for turn_index, replacement in choice.replacements(example.talk)
                ]
    return whole


def _passes(whole: RuleCounts, example: ConversationExample, *, examples: bool) -> bool:
    """Whether every rule keeps it; each rule is evaluated, whatever the rules before it decided."""
    passes = True
    for tally in whole.tallies:
        keeps = decision(tally.rule, example.talk)
        if tally.rule.concerns(example.talk):
            tally.of += 1
            tally.alone += keeps
            tally.silent += tally.rule.keeps(example.talk) is None
        if passes and not keeps and examples and len(tally.away) < EXAMPLES_SHOWN:
            tally.away.append(example)
        tally.cut += passes and not keeps
        passes = passes and keeps
        tally.left += passes
    return passes


# The format: the selected conversations of a log, as rows of the project's kind without personal data.
#
# It has a page and a command of its own and is offered nowhere else, because it leaves rows out on purpose.


class ChatLog(Format):
    slug = "chatlog"
    name = _("Chat log")
    kinds = frozenset({"feedback", "use_case"})

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        return parse_options(options).as_options()

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        """A row for each conversation that is kept; lines that hold none are problems."""
        choice, excluded_count, kept_count = parse_options(options), 0, 0
        for entry in conversations(source, compare=choice.compares):
            if isinstance(entry, Problem):
                yield entry
            elif choice.keeps(entry[1]):
                kept_count += 1
                line, talk = entry
                yield ImportRow(line, choice.scenario.row(choice.anonymous(line, talk)))
            else:
                excluded_count += 1
        if excluded_count and not kept_count:
            message = say("The rules leave out every conversation (%(n)s). Loosen them, or look for a fuller log.")
            yield Problem(source.name, None, "", message % {"n": excluded_count})


def conversations(
    source: Source, *, compare: bool = False, most: int | None = None
) -> Iterator[NumberedConversation | Problem]:
    """Everything in the log, in order. compare: compare the answers to each question; most: at most this many."""
    if compare:
        yield from compared(lambda: islice(_conversations(source), most))
    else:
        yield from islice(_conversations(source), most)


def _conversations(source: Source) -> Iterator[NumberedConversation | Problem]:
    shape = JsonArray() if source.first_character() == b"[" else JsonLines()
    for row in shape.rows(source, {}):
        yield row if isinstance(row, Problem) else _parse_row(source, row)


def _parse_row(source: Source, row: ImportRow) -> NumberedConversation | Problem:
    try:
        return row.line, conversation(row.value)
    except UnknownShape:
        message = say(
            "There is no conversation in it. Known are messages, conversations, conversation, turns, a service's tree, "
            "and a prompt with its response."
        )
    except UnreadableConversation:
        message = say("There is no conversation in it that begins with a user's words.")
    return Problem(source.name, row.line, "", message)


UNLISTED = ChatLog()
