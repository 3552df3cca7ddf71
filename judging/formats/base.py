"""What a file of others' judgements holds, and what its format hands over."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from django.utils.functional import Promise

from annotate.formats.rows import Problem


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


class JudgementFormat(ABC):
    """One way in which judgements stand in files. Each module of a format sets `FORMAT` to an instance.

    of_pairs: it hands over PairJudgements, which name their strategy; others hand over Judgements.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    of_pairs: ClassVar[bool] = False
    strategy: ClassVar[str] = ""  # how the judges of such files were asked, where the rows do not say it
    said_in: ClassVar[str]  # the field that holds what the judge said

    @abstractmethod
    def read(self, path: Path, *, name: str) -> Iterator[Judgement | PairJudgement | Problem]:
        """In file order, as they are asked for; every fault, of rows and of the file, comes as a Problem."""
