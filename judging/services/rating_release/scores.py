"""A release of one judge's scores: what its leaderboard is made of, an answer a row."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotate.services.releasing.files import line_of
from judging.models import Judge
from judging.services.scores import Scored, Scores

SCORE = "score"


def score_rows(found: Scores) -> Iterator[dict[str, Any]]:
    """In the order of the leaderboard's own reading: by author and item."""
    judge = str(found.judge)
    for one in found.rows:
        yield {
            "unit": f"answer/{one.answer_id}",
            "rater": judge,
            "value": one.score,
            "kind": SCORE,
            "item": one.item_id,
            "author": one.author,
            "scenario": one.scenario,
            "labels": {name: list(values) for name, values in one.labels.items()},
            "failed": one.failed,
            "flagged": one.flagged,
            "unparsed": one.unparsed,
            "what_if": dict(one.what_if),
        }


def score_digest(found: Scores) -> str:
    """SHA-256 of the file."""
    whole = hashlib.sha256()
    for row in score_rows(found):
        whole.update(line_of(row))
    return whole.hexdigest()


def read_scores(rows: Iterable[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Scores:
    """Raises KeyError, TypeError or ValueError where rows or manifest are none of such a release."""
    told, left_out = manifest["judge"], manifest["left_out"]["verdicts"]
    judge = Judge(**{name: told[name] for name in ("name", "strategy", "variant", "simulated")})
    scored = [_scored(row) for row in rows]
    return Scores(judge, scored, outdated=int(left_out["outdated"]), unjudged=int(left_out["unjudged"]))


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
