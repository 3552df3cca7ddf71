"""How many conversations each rule keeps, alone and in its place, with some of those that it leaves out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.chatlog.choosing import Chosen, decision
from annotate.formats.chatlog.comparing import Read
from annotate.formats.chatlog.conversations import Conversation
from annotate.formats.chatlog.rules import Rule
from annotate.formats.rows import Problem
from lib.texts.anonymising import Replacement

SHOWN = 3
KEPT_SHOWN = 5


@dataclass(frozen=True)
class Example:
    line: int
    talk: Conversation


@dataclass
class Tally:
    """of: conversations that it speaks about; alone: of them kept if it were the only rule; silent: of them those about
    which the log does not say what it needs. left: kept by it and all before it, of all; cut: of those that all before
    it keep, left out by it.

    away: some of those that it is the first to leave out.
    """

    rule: Rule
    of: int = 0
    alone: int = 0
    left: int = 0
    cut: int = 0
    silent: int = 0
    away: list[Example] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        counts = {"of": self.of, "alone": self.alone, "in_order": self.left, "cut": self.cut, "silent": self.silent}
        return {"rule": self.rule.name, "value": self.rule.value, **counts}


@dataclass
class Counted:
    """read: conversations; bad: lines that hold none. kept: some of what every rule keeps."""

    tallies: Sequence[Tally]
    read: int = 0
    bad: int = 0
    left: int = 0
    problems: list[Problem] = field(default_factory=list)
    kept: list[Example] = field(default_factory=list)
    found: list[tuple[Example, int, Replacement]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"conversations": self.read, "chosen": self.left, "bad": self.bad}


def counted(choice: Chosen, log: Iterable[Read | Problem], *, examples: bool = True, listed: int = 0) -> Counted:
    """One pass. listed: so many replacements are collected, of conversations that are kept."""
    whole = Counted([Tally(rule) for rule in choice.rules])
    for entry in log:
        if isinstance(entry, Problem):
            whole.bad += entry.line is not None
            whole.problems += [entry] if len(whole.problems) < 100 else []
            continue
        example = Example(*entry)
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


def _passes(whole: Counted, example: Example, *, examples: bool) -> bool:
    """Whether every rule keeps it; each rule says so, whatever those before it said."""
    passes = True
    for tally in whole.tallies:
        keeps = decision(tally.rule, example.talk)
        if tally.rule.concerns(example.talk):
            tally.of += 1
            tally.alone += keeps
            tally.silent += tally.rule.keeps(example.talk) is None
        if passes and not keeps and examples and len(tally.away) < SHOWN:
            tally.away.append(example)
        tally.cut += passes and not keeps
        passes = passes and keeps
        tally.left += passes
    return passes
