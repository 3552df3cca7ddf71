"""The contract of judgement formats: the records that a format reads from a file, and the registry of formats."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from django.utils.functional import Promise

from annotate.formats.format import Option, complete
from annotate.formats.rows import Problem
from annotate.kinds.contract import Kind
from lib.discovery import discover

UNREADABLE_IS_A_TIE = "unreadable=tie"  # in the variant of a judge whose published figures count it so


class BadJudgementValue(ValueError):
    """A value that a row must not have. path: its place in the row."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True, slots=True)
class ChecklistMark:
    """One key of a judgement, as the judge wrote it. met: None if it says neither yes nor no."""

    met: bool | None
    reason: str = ""
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer judged once.

    key: of the item; "" if the file identifies it only by its first message, with which `texts` then begins.
    named_in: the field by which the item is found.
    text: the answer; None if the file does not hold it. said: key -> what was said, in the judge's order.
    failed: the text in place of a judgement if the call failed, else "". score: as the file has it, or None.
    texts: name in the file -> message that the candidate was given, in the order of the conversation.
    checklist: as the judge had it, None if the file does not say.
    """

    line: int
    author: str
    judge: str
    named_in: str
    key: str = ""
    text: str | None = None
    said: Mapping[str, ChecklistMark] = field(default_factory=dict)
    failed: str = ""
    score: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    checklist: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """What one judge said about the gold and the perturbed answer of one item.

    key: of the item. shape: `single`, `pairwise` or `reference`, which decides what the others mean.
    gold, perturbed: scores, None if unreadable; gold is None if it was the reference. top: the highest score there.
    gold_first, perturbed_first: its choice when that answer was shown first, as a choice of Verdict whose first answer
    is the gold one; None if unreadable. found: whether its explanation names the mistake; None if nobody looked.
    """

    line: int
    judge: str
    strategy: str
    key: str
    shape: str
    gold: float | None = None
    perturbed: float | None = None
    top: float | None = None
    gold_first: str | None = None
    perturbed_first: str | None = None
    found: bool | None = None

    named_in: ClassVar[str] = "id"
    texts: ClassVar[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class AnswerSide:
    """One of the answers that a row is about, and its author. text: None if the file does not hold it."""

    author: str
    text: str | None


@dataclass(frozen=True, slots=True)
class FileVote:
    """One person's vote. draft: in the shape of the kind of the row's facts."""

    rater: str
    draft: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeStatement:
    """One judge's verdict on the answers of a row. path: its place in the file.

    choice: a choice of Verdict, after swaps were undone; scores: criterion -> score, "" for the whole. If there is
    neither, nothing could be read, and `instead` is the text found there. variant: of the judge.
    """

    judge: str
    strategy: str
    path: str
    choice: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    swapped: bool = False
    variant: str = ""
    reason: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Voted:
    """One row with an item to vote on, its answers, people's votes and judges' verdicts.

    key: of the item; it does not reveal the authors. facts: of the kind, with the texts of the answers; names: fact ->
    the field of the file that it came from. warnings: (path, message) about a row that is kept all the same.
    """

    line: int
    key: str
    facts: Mapping[str, Any]
    sides: Sequence[AnswerSide]
    group: str = ""
    votes: Sequence[FileVote] = ()
    said: Sequence[JudgeStatement] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One person's verdict on one question. met: None for "cannot tell"."""

    line: int
    question: str
    met: bool | None
    reason: str = ""


@dataclass(slots=True)
class CheckedAnswer:
    """All verdicts of one person on one answer in a file.

    key: of the item; "" if the file identifies it only by `text`, its first message.
    """

    line: int
    named_in: str
    key: str
    text: str
    author: str
    rater: str
    checks: list[Check] = field(default_factory=list)


class JudgementFormat(ABC):
    """A file format of judgements. Each module of a format sets `FORMAT` to an instance.

    of_pairs: it yields PairJudgements, which name their strategy; others yield Judgements. of_votes: it yields Voted
    rows, which contain their items; whole: a row has all votes of people on its item. of_people: it yields
    CheckedAnswers, which are about answers that exist already.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    of_pairs: ClassVar[bool] = False
    of_votes: ClassVar[bool] = False
    of_people: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    kinds: ClassVar[frozenset[str]] = frozenset()  # slugs of the kinds it makes items of; none: it makes no items
    options: ClassVar[tuple[Option, ...]] = ()
    strategy: ClassVar[str] = ""  # how the judges of such files were asked, if the rows do not say so
    said_in: ClassVar[str]  # the field that holds what the judge said

    @abstractmethod
    def read(
        self, path: Path, *, name: str, options: Mapping[str, str] | None = None
    ) -> Iterator[Judgement | PairJudgement | Voted | CheckedAnswer | Problem]:
        """Rows lazily, in file order; every fault of a row or of the file is a Problem.

        options: complete. Raises BadOption.
        """

    def suits(self, kind: Kind) -> bool:
        """Whether such files can be imported into projects of this kind."""
        return kind.slug in self.kinds if self.kinds else kind.judges_answers

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """The given options and the defaults of the others. Raises BadOption."""
        return complete(self.slug, self.options, options)


# Registry: every module of this package that sets `FORMAT`.


@cache
def judgement_formats() -> dict[str, JudgementFormat]:
    """slug -> format, in the order of the slugs."""
    formats = discover("judging.formats", "FORMAT")
    return {
        judgement_format.slug: judgement_format
        for judgement_format in sorted(formats, key=lambda judgement_format: judgement_format.slug)
    }


def formats_for(kind: Kind) -> list[JudgementFormat]:
    """The formats whose files can be imported into projects of this kind."""
    return [judgement_format for judgement_format in judgement_formats().values() if judgement_format.suits(kind)]
