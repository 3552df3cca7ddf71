"""What people's votes prefer, as pairs: the same as `export_preferences` writes."""

from collections import Counter
from collections.abc import Iterator

from annotate.models import Project
from judging.services.rankings.pairs import training_pairs
from judging.services.training.base import Pair, asked_text


def pairs(project: Project, skip_counts: Counter[str]) -> Iterator[Pair]:
    """Of the whole project: votes are about answers, whatever the state of the items."""
    for row in training_pairs(project, left_out=skip_counts):
        prompt = row["prompt"]
        query = prompt if isinstance(prompt, str) else asked_text(prompt)
        if row["chosen"].strip() and row["rejected"].strip() and query.strip():
            yield Pair(
                query, prompt, row["chosen"], row["rejected"], "votes", "", margin=row["margin"], votes=row["votes"]
            )
