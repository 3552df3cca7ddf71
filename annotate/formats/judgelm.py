"""Question, two answers, a score from 1 to 10 for each and the reason, as items of the kind `branching`.

The names are those of JudgeLM (`question_body`, `answer1_body`, …) or shorter ones (`question`, `answer1`, …). `score`:
both scores, for the first and the second answer; `score_swapped`: the scores of a run in the other order, named by the
answers' order here. A row that was scored with a reference answer says so. Other fields of such a row are left out.
Source of the shape: JudgeLM (arXiv 2310.17631).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from annotate.formats.foreign_rows import ahead, first_of, text_of, two_scores, without_blanks
from annotate.formats.format import Format, Option
from annotate.formats.json_array import JsonArray
from annotate.formats.jsonl import JsonLines
from annotate.formats.rows import ImportRow, Problem
from annotate.formats.source import Source

LOWEST, HIGHEST = 1, 10
ALONE, BESIDE = ("score", "text"), ("score_w_reference", "text_w_reference")

SET = "judgelm"  # the judge if a row names none


class JudgeLm(Format):
    slug = "judgelm"
    name = gettext_lazy("JudgeLM: two scores with a reason")
    kinds = frozenset({"branching"})
    options = (Option("scores", gettext_lazy("Scores to import"), ("alone", "beside the reference"), "alone"),)

    def rows(self, source: Source, options: Mapping[str, str]) -> Iterator[ImportRow | Problem]:
        shape = JsonArray() if source.first_character() == b"[" else JsonLines()
        for row in shape.rows(source, {}):
            yield _native(row, options["scores"] != "alone") if isinstance(row, ImportRow) else row


def _native(row: ImportRow, with_reference: bool) -> ImportRow:
    """A row without question or answers stays unchanged, for the kind to report what it lacks."""
    query = first_of(row.value, ("question_body", "question"))
    answers = [first_of(row.value, (f"answer{no}_body", f"answer{no}", f"answer_{no}")) for no in (1, 2)]
    if query is None or None in answers:
        return row
    facts = {
        "query": query,
        "first": answers[0],
        "second": answers[1],
        "original": _original(row.value, with_reference),
    }
    key = first_of(row.value, ("key", "question_id"))
    if isinstance(key, int | str) and not isinstance(key, bool):
        facts["key"] = key if isinstance(key, str) else f"judgelm-{key:04}"
    more = {
        "author_first": first_of(row.value, ("answer1_model_id", "model1")),
        "author_second": first_of(row.value, ("answer2_model_id", "model2")),
        "scenario": first_of(row.value, ("scenario", "group")),
        "human_label": first_of(row.value, ("human_label",)),
    }
    return ImportRow(row.line, facts | without_blanks(more), row.warnings)


def _original(value: Mapping[str, Any], with_reference: bool) -> dict[str, Any]:
    """Unreadable scores give no verdict: then no criteria can be recovered."""
    score_field, reason = BESIDE if with_reference else ALONE
    scores, swapped = value.get(score_field), two_scores(value.get("score_swapped"))
    first, second = two_scores(scores) or (scores, scores)
    judgement = {
        "judge": first_of(value, ("judge",)) or SET,
        "text": first_of(value, (reason, "reason")),
        "score_first": first,
        "score_second": second,
        "verdict": ahead(first, second),
        "swapped": ahead(*swapped) if swapped and not with_reference else None,
        "reference": text_of(value.get("reference")) if with_reference else None,
    }
    return {"style": "scores", "lowest": LOWEST, "highest": HIGHEST} | without_blanks(judgement)


FORMAT = JudgeLm()
