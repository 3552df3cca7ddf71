"""A release of one judge's scores: what its leaderboard is made of, an answer a row."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotate.services.releasing.files import line_of
from judging.models import Judge
from judging.services.scores import Scored, Scores

SCORE = "score"


def score_rows(scores: Scores) -> Iterator[dict[str, Any]]:
    """In the order of the leaderboard's own reading: by author and item."""
    judge = str(scores.judge)
    for row in scores.rows:
        yield {
            "unit": f"answer/{row.answer_id}",
            "rater": judge,
            "value": row.score,
            "kind": SCORE,
            "item": row.item_id,
            "author": row.author,
            "scenario": row.scenario,
            "labels": {name: list(values) for name, values in row.labels.items()},
            "failed": row.failed,
            "flagged": row.flagged,
            "unparsed": row.unparsed,
            "what_if": dict(row.what_if),
        }


def score_digest(scores: Scores) -> str:
    """SHA-256 of the file."""
    whole = hashlib.sha256()
    for row in score_rows(scores):
        whole.update(line_of(row))
    return whole.hexdigest()


def read_scores(rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Scores:
    """Raises KeyError, TypeError or ValueError where rows or manifest are none of such a release."""
    judge_entry, skip_counts = manifest["judge"], manifest["left_out"]["verdicts"]
    judge = Judge(**{name: judge_entry[name] for name in ("name", "strategy", "variant", "simulated")})
    scored = [_scored(row) for row in rows]
    return Scores(judge, scored, outdated=int(skip_counts["outdated"]), unjudged=int(skip_counts["unjudged"]))


def _scored(row: Mapping[str, Any]) -> Scored:
    return Scored(
        author=str(row["author"]),
        item_id=int(row["item"]),
        answer_id=int(row["unit"].split("/")[1]),
        verdict_id=None,
        scenario=str(row["scenario"]),
        labels={name: tuple(values) for name, values in row["labels"].items()},
        score=float(row["value"]),
        failed=bool(row["failed"]),
        flagged=bool(row["flagged"]),
        what_if={name: float(value) for name, value in row["what_if"].items()},
        unparsed=bool(row["unparsed"]),
    )
