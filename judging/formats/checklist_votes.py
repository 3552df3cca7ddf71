"""People's verdicts on checklists: whether an answer meets a question according to a person.

Three shapes, JSON lines, a JSON array or CSV:

    {"key": "fbbench-0003", "author": "model-a", "rater": "anna", "question": "Does it say two?", "verdict": "yes"}
    {"key": "fbbench-0003", "author": "model-a", "rater": "anna", "verdicts": {"Does it say two?": "no"}}
    {"user_query": "…", "model-a|human_judgement": "{'Does it say two?': {'评判结果': '是'}}"}

The last one is the table of FB-Bench's own agreement study (arXiv 2410.09412, A.3.3): a row for each sample, a column
for each model; its rater is called `human` unless a column `rater` says otherwise. A question may be given by its
number. Instead of `key` a row may have `sample_index`, or `user_query` if only one item begins with it.
"""

import ast
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.rows import ImportRow, Problem, printable
from annotate.kinds.contract import Kind
from judging.formats.fields import MOST_RATER, TableRows, name_of, optional_text, text_of, value_of
from judging.formats.format import BadJudgementValue, Check, CheckedAnswer, JudgementFormat
from judging.strategies.checklist.checklist_replies import MARKS, NO, YES
from lib.texts.stored_sentences import say as _

HUMAN = "|human_judgement"
RATER = "human"
RESULTS, REASONS = ("评判结果", "result", "verdict"), ("评判理由", "reason")
CANNOT_TELL = frozenset({"cannot_tell", "cannot tell", "无法判断", "不确定"})
MOST_KEY, MOST_LITERAL = 200, 100_000


class ChecklistVotes(JudgementFormat):
    slug = "checklist_votes"
    name = gettext_lazy("Human checklist verdicts: one row per question, or per answer")
    of_people = True
    said_in = "verdict"

    def suits(self, kind: Kind) -> bool:
        return kind.holds_checklists and kind.judges_answers

    def read(
        self, path: Path, *, name: str, options: Mapping[str, str] | None = None
    ) -> Iterator[CheckedAnswer | Problem]:
        """Problems as they occur, then each person's verdicts on each answer together, after reading the whole file."""
        checked_by_key: dict[tuple[str, ...], CheckedAnswer] = {}
        for row in TableRows().read(path, name=name):
            if isinstance(row, Problem):
                yield row
                continue
            try:
                for checked in _checked(row):
                    first_checked = checked_by_key.setdefault(_place(checked), checked)
                    if first_checked is not checked:
                        yield from _added(first_checked, checked, name)
            except BadJudgementValue as bad:
                yield Problem(name, row.line, bad.path, str(bad))
        yield from checked_by_key.values()


def _place(checked: CheckedAnswer) -> tuple[str, ...]:
    return checked.key, checked.text, checked.author, checked.rater


def _added(first_checked: CheckedAnswer, more: CheckedAnswer, name: str) -> Iterator[Problem]:
    """Add these verdicts to the others. A second verdict on a question is a problem; the first one counts."""
    line_by_question = {spaced(check.question): check.line for check in first_checked.checks}
    for check in more.checks:
        line = line_by_question.get(spaced(check.question))
        if line is None:
            first_checked.checks.append(check)
        else:
            message = _("This rater already has a verdict on this question of this answer in line %(line)d.")
            yield Problem(name, check.line, "question", message % {"line": line})


def spaced(question: str) -> str:
    """A question in the form in which it is compared: line breaks do not matter."""
    return " ".join(question.split())


def _checked(row: ImportRow) -> list[CheckedAnswer]:
    value = row.value
    named_in, key, text = _item(value)
    columns = [name for name in value if name.endswith(HUMAN)]
    if columns:
        rater = name_of(value, "rater", MOST_RATER) if "rater" in value else RATER
        authors = {name: name_of({name: name.removesuffix(HUMAN)}, name) for name in columns}
        return [
            CheckedAnswer(row.line, named_in, key, text, author, rater, _verdicts(row.line, name, value[name]))
            for name, author in authors.items()
        ]
    author, rater = name_of(value, "author"), name_of(value, "rater", MOST_RATER)
    if "verdicts" in value:
        checks = _verdicts(row.line, "verdicts", value["verdicts"])
    else:
        met = _met(value_of(value, "verdict"), "verdict")
        checks = [Check(row.line, _question(value), met, optional_text(value, "reason"))]
    return [CheckedAnswer(row.line, named_in, key, text, author, rater, checks)]


def _item(value: Mapping[str, Any]) -> tuple[str, str, str]:
    """(field that names it, key, first message)."""
    if "key" not in value and "sample_index" in value:
        index = str(value["sample_index"])
        if not (index.isascii() and index.isdigit() and len(index) < 10):
            raise BadJudgementValue(
                "sample_index", _("must be the sample's index in the published dataset, counted from 0.")
            )
        return "sample_index", f"fbbench-{int(index):04}", ""
    if "key" not in value and "user_query" in value:
        return "user_query", "", text_of(value, "user_query")
    return "key", name_of(value, "key", MOST_KEY), ""


def _question(value: Mapping[str, Any]) -> str:
    question = value_of(value, "question")
    if isinstance(question, int) and not isinstance(question, bool):
        return str(question)
    if not isinstance(question, str) or not question.strip():
        raise BadJudgementValue("question", _("must be a question of the checklist, or its number."))
    return question


def _verdicts(line: int, path: str, raw_value: Any) -> list[Check]:
    """A dictionary of verdicts by question, possibly as a Python literal."""
    value = _literal(raw_value) if isinstance(raw_value, str) else raw_value
    if not isinstance(value, dict) or not value:
        raise BadJudgementValue(path, _('must be an object such as {"Does it say two?": "yes"}.'))
    checks = []
    for question, verdict in value.items():
        result = _first(verdict, RESULTS) if isinstance(verdict, dict) else verdict
        reason = _first(verdict, REASONS) if isinstance(verdict, dict) else ""
        where = f"{path}.{printable(str(question), most=60)}"
        checks.append(Check(line, str(question), _met(result, where), reason if isinstance(reason, str) else ""))
    return checks


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text) if len(text) <= MOST_LITERAL else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if name in value), "")


def _met(value: Any, path: str) -> bool | None:
    """Parsed strictly: a person's verdict is never guessed. null means "cannot tell"."""
    if value is None or isinstance(value, bool):
        return value
    words = unicodedata.normalize("NFKC", str(value)).casefold().strip(MARKS)
    if words in CANNOT_TELL:
        return None
    if isinstance(value, str | int) and words in YES | NO:
        return words in YES
    message = _("is “%(value)s”; allowed: yes, no, cannot_tell.")
    raise BadJudgementValue(path, message % {"value": printable(str(value), most=40)})


FORMAT = ChecklistVotes()
