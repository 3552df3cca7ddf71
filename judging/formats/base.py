"""What a file of others' judgements holds, and what its format hands over."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from django.utils.functional import Promise

from annotate.formats.base import Option, complete
from annotate.formats.rows import Problem
from annotate.kinds.base import Kind

UNREADABLE_IS_A_TIE = "unreadable=tie"  # in the variant of a judge: its published figures count it so


@dataclass(frozen=True, slots=True)
class Told:
    """One key of a judgement, as the judge wrote it. met: None where it says neither yes nor no."""

    met: bool | None
    reason: str = ""
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer judged once.

    key: of the item; "" where the file knows it by its first message only, `texts` then begins with that. named_in:
    the field by which the item is found.
    text: the answer; None where the file does not hold it. said: key -> what was said, in the judge's order.
    failed: what stands in place of a judgement where the call failed, else "". score: as the file has it, or None.
    texts: name in the file -> message that the candidate was given, in the order of the conversation.
    checklist: as the judge had it, None where the file does not say.
    """

    line: int
    author: str
    judge: str
    named_in: str
    key: str = ""
    text: str | None = None
    said: Mapping[str, Told] = field(default_factory=dict)
    failed: str = ""
    score: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    checklist: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """What one judge said about the gold and the perturbed answer of one item.

    key: of the item. shape: `single`, `pairwise` or `reference`, which decides what the others mean.
    gold, perturbed: scores, None where unreadable; gold is None beside a reference. top: the highest score there.
    gold_first, perturbed_first: what it chose when that answer stood first, as a choice of Verdict whose first answer
    is the gold one; None where unreadable. found: whether its explanation names the mistake; None where nobody looked.
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
class Side:
    """One of the answers that a row is about, and whose it is. text: None where the file does not hold it."""

    author: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Vote:
    """What one person said. draft: in the shape of the kind that the row's facts are of."""

    rater: str
    draft: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """What one judge said about the answers of a row. path: where that stands in the file.

    choice: a choice of Verdict, as its answers are called after swaps were undone; scores: criterion -> score, "" for
    the whole. Neither: nothing could be read, `instead` is what stands there. variant: of the judge.
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
    """One row with an item to vote on, its answers, what people voted and what judges said.

    key: of the item; it tells nobody whose the answers are. facts: of the kind, with the texts of the answers; names:
    fact -> the field of the file that it came from. warnings: (path, message) about a row that is kept all the same.
    """

    line: int
    key: str
    facts: Mapping[str, Any]
    sides: Sequence[Side]
    group: str = ""
    votes: Sequence[Vote] = ()
    said: Sequence[Said] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What a person said about one question. met: None for "cannot tell"."""

    line: int
    question: str
    met: bool | None
    reason: str = ""


@dataclass(slots=True)
class Checked:
    """All that one person said in a file about one answer.

    key: of the item; "" where the file knows it by `text`, its first message, only.
    """

    line: int
    named_in: str
    key: str
    text: str
    author: str
    rater: str
    checks: list[Check] = field(default_factory=list)


class JudgementFormat(ABC):
    """One way in which judgements stand in files. Each module of a format sets `FORMAT` to an instance.

    of_pairs: it hands over PairJudgements, which name their strategy; others hand over Judgements. of_votes: it hands
    over Voted rows, which bring their items along; whole: a row has everything that people said of its item.
    of_people: it hands over Checked, which is about answers that are there.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    of_pairs: ClassVar[bool] = False
    of_votes: ClassVar[bool] = False
    of_people: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    kinds: ClassVar[frozenset[str]] = frozenset()  # slugs of the kinds it makes items of; none: it makes no items
    options: ClassVar[tuple[Option, ...]] = ()
    strategy: ClassVar[str] = ""  # how the judges of such files were asked, where the rows do not say it
    said_in: ClassVar[str]  # the field that holds what the judge said

    @abstractmethod
    def read(
        self, path: Path, *, name: str, options: Mapping[str, str] | None = None
    ) -> Iterator[Judgement | PairJudgement | Voted | Checked | Problem]:
        """In file order, as they are asked for; every fault, of rows and of the file, comes as a Problem.

        options: complete. Raises BadOption.
        """

    def suits(self, kind: Kind) -> bool:
        """Whether such files can come into projects of this kind."""
        return kind.slug in self.kinds if self.kinds else kind.judges_answers

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """The given options and the defaults of the others. Raises BadOption."""
        return complete(self.slug, self.options, options)
