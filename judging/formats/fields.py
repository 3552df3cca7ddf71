"""Base of the vote formats: strict readers for the fields of rows with votes; a problem names its field."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotate.formats.csv_table import CsvTable
from annotate.formats.json_array import JsonRows
from annotate.formats.rows import ImportRow, Problem, printable
from annotate.formats.source import Source
from judging.formats.format import AnswerSide, BadJudgementValue, FileVote, JudgementFormat, JudgeStatement, Voted
from lib.texts.stored_sentences import say as _

MOST_AUTHOR, MOST_RATER, MOST_GROUP = 120, 80, 120
WINNERS: Mapping[Any, str | None] = {"left": "first", "right": "second", "tie": "tie"}
PLACES = {1: "first", 2: "second", 0: "tie"}
OTHER_WAY_ROUND = {"first": "second", "second": "first"}


class _VoteRows(JsonRows):
    slug = name = "votes"


class TableRows(_VoteRows):
    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        if source.first_character() in (b"[", b"{"):
            yield from super().rows(source, options)
        else:
            yield from CsvTable().rows(source, {"separator": "comma"})


class VoteFormat(JudgementFormat):
    """Rows with an item to vote on and the ratings of people and judges: JSON lines or one JSON array.

    tables: its files may be CSV too.
    """

    tables = False

    of_votes = True
    kinds = frozenset({"preference"})
    said_in = ""

    def read(self, path: Path, *, name: str, options: Mapping[str, str] | None = None) -> Iterator[Voted | Problem]:
        complete_options = self.complete(options or {})
        return self._stream(path, name, complete_options)

    @abstractmethod
    def voted(self, row: ImportRow, options: Mapping[str, str]) -> Voted:
        """Raises BadJudgementValue."""

    def _stream(self, path: Path, name: str, options: Mapping[str, str]) -> Iterator[Voted | Problem]:
        rows = TableRows() if self.tables else _VoteRows()
        for row in rows.read(path, name=name):
            if isinstance(row, Problem):
                yield row
                continue
            try:
                yield self.voted(row, options)
            except BadJudgementValue as bad:
                yield Problem(name, row.line, bad.path, str(bad))


def value_of(value: Mapping[str, Any], field: str) -> Any:
    if field not in value:
        raise BadJudgementValue(field, _("is missing."))
    return value[field]


def text_of(value: Mapping[str, Any], field: str) -> str:
    text = value_of(value, field)
    if not isinstance(text, str):
        raise BadJudgementValue(field, _("must be text."))
    return text


def optional_text(value: Mapping[str, Any], field: str) -> str:
    return "" if value.get(field) is None else text_of(value, field)


def name_of(value: Mapping[str, Any], field: str, most: int = MOST_AUTHOR) -> str:
    raw_name = value_of(value, field)
    return checked_name(raw_name, field, most)


def checked_name(raw_name: Any, path: str, most: int) -> str:
    name = raw_name.strip() if isinstance(raw_name, str) else ""
    if not name or not name.isprintable() or len(name) > most:
        raise BadJudgementValue(path, _("must be a one-line name of at most %(most)d characters.") % {"most": most})
    return name


def flag_of(value: Mapping[str, Any], field: str) -> bool:
    """A truth value; False if it is missing."""
    flag = value.get(field, False)
    if not isinstance(flag, bool):
        raise BadJudgementValue(field, _("must be true or false."))
    return flag


def number_of(value: Mapping[str, Any], field: str) -> int:
    """A whole number from 0."""
    number = value_of(value, field)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 10**12:
        raise BadJudgementValue(field, _("must be a whole number of 0 or more."))
    return number


def label_of(value: Mapping[str, Any], field: str, labels: Mapping[Any, str | None]) -> str | None:
    """The meaning of the label; None for labels which say that nothing could be read."""
    label = value_of(value, field)
    is_known = not isinstance(label, bool | float | list | dict) and label in labels
    if not is_known:
        allowed = ", ".join("null" if allowed_label is None else str(allowed_label) for allowed_label in labels)
        message = _("is “%(value)s”; allowed: %(allowed)s.")
        raise BadJudgementValue(field, message % {"value": printable(str(label), most=40), "allowed": allowed})
    return labels[label]


def unswapped(choice: str | None, *, exchanged: bool) -> str | None:
    """A choice in terms of the answers' names; exchanged: the run saw them in the other order."""
    return OTHER_WAY_ROUND.get(choice, choice) if exchanged and choice is not None else choice


# Rows of a battle: the models `left` and `right`, and the `winner`.


def sides(value: Mapping[str, Any], texts: list[str]) -> list[AnswerSide]:
    """The models on the left and on the right, without texts if neither has one. Raises BadJudgementValue if equal."""
    names = [name_of(value, column, MOST_AUTHOR) for column in ("left", "right")]
    if names[0] == names[1]:
        raise BadJudgementValue("right", _("is also the model on the left."))
    side_texts: list[str] | list[None] = texts if any(texts) else [None, None]
    return [AnswerSide(name, text) for name, text in zip(names, side_texts, strict=True)]


def vote_or_statement(value: Mapping[str, Any], who: tuple[str, bool]) -> tuple[list[FileVote], list[JudgeStatement]]:
    """The winner as a vote of this rater or a verdict of this judge. who: the name, and whether it is a judge."""
    choice = label_of(value, "winner", WINNERS)
    name, by_judge = who
    if by_judge:
        return [], [JudgeStatement(name, "pairwise", path="winner", choice=choice)]
    return [FileVote(name, {"choice": choice, "reason": "", "recognised": False})], []
