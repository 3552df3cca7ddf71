"""How much of a project each author has answered, how long the answers are, and where answering failed."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Func, Max, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Length

from annotate.models import Item, Job, Project
from judging.models import Answer, Author
from judging.services.cases import judgeable

LATIN = 0.25  # tokens of a character, as annotate/llm/tokens.py estimates them; one for each Chinese one


@dataclass(frozen=True)
class Spread:
    """Middle and upper end of the lengths of answers."""

    median: int
    p95: int


@dataclass(frozen=True)
class Coverage:
    """One author.

    answered: judgeable items with an answer, of `items`. answers: current ones of all items and samples.
    unknown: those of them whose text was never published. characters, tokens: None without a known text; tokens are
    estimated. failed: judgeable items that a run could not get an answer to, and nothing else brought one.
    failed_run: the newest of those runs.
    """

    author: Author
    items: int
    answered: int = 0
    answers: int = 0
    samples: int = 0
    unknown: int = 0
    simulated: int = 0
    characters: Spread | None = None
    tokens: Spread | None = None
    failed: int = 0
    failed_run: int | None = None
    last: datetime | None = None


def coverage(project: Project) -> Sequence[Coverage]:
    """Every author of the project by name, in five queries however many authors, items and answers."""
    authors = list(Author.objects.filter(project=project).order_by("name"))
    items, counts, lengths = judgeable(project).count(), _counts(project), _lengths(project)
    failures = _failures(project)
    return [
        Coverage(
            author=author,
            items=items,
            **counts.get(author.pk, {}),
            **lengths.get(author.pk, {}),
            **failures.get(author.name, {}),
        )
        for author in authors
    ]


def _counts(project: Project) -> dict[int, dict[str, Any]]:
    """author -> how many of what."""
    decided = Q(item__state=Item.State.ACCEPTED, item__purpose=Item.Purpose.WORK, item__base__isnull=False)
    rows = (
        _current(project)
        .values("author")
        .annotate(
            answered=Count("item", filter=decided, distinct=True),
            answers=Count("pk"),
            samples=Max("sample"),
            unknown=Count("pk", filter=Q(known=False)),
            simulated_=Count("pk", filter=Q(simulated=True)),
            last=Max("created_at"),
        )
    )
    counts_by_author = {}
    for row in rows.order_by():
        row["simulated"] = row.pop("simulated_")
        counts_by_author[row.pop("author")] = row
    return counts_by_author


class _Bytes(Func):
    """Of a text in UTF-8. SQLite's own `octet_length` came late (3.43)."""

    function = "OCTET_LENGTH"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


def _lengths(project: Project) -> dict[int, dict[str, Any]]:
    """author -> characters and tokens. The texts themselves stay in the database."""
    sizes_by_author: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = _current(project).filter(known=True).values_list("author", Length("text"), _Bytes("text"))
    for author, characters, size in rows.iterator(chunk_size=5000):
        sizes_by_author[author].append((characters, _tokens(characters, size)))
    return {
        author: {
            "characters": _spread([character_count for character_count, _ in sizes]),
            "tokens": _spread([token_count for _, token_count in sizes]),
        }
        for author, sizes in sizes_by_author.items()
    }


def _tokens(characters: int, size: int) -> int:
    """A Latin character is a byte and a quarter of a token, a Chinese one three bytes and a token."""
    wide = (size - characters) / 2
    return round(wide + (characters - wide) * LATIN)


def _spread(values: list[int]) -> Spread:
    """By the nearest rank, so that both are lengths that occur."""
    ordered = sorted(values)
    return Spread(ordered[(len(ordered) - 1) // 2], ordered[max(0, -(-len(ordered) * 95 // 100) - 1)])


def _failures(project: Project) -> dict[str, dict[str, Any]]:
    """name of the author -> items, and the newest run among those that failed at them."""
    failed = Job.objects.filter(
        run__project=project, run__purpose="answer", state=Job.State.FAILED, item__in=judgeable(project).values("pk")
    ).annotate(name=KeyTextTransform("author", "run__options"))
    answered = Answer.objects.filter(author__project=project, author__name=OuterRef("name"), item=OuterRef("item"))
    rows = failed.exclude(Exists(answered)).values("name").order_by()
    counted = rows.annotate(failed=Count("item", distinct=True), failed_run=Max("run"))
    return {row["name"]: {"failed": row["failed"], "failed_run": row["failed_run"]} for row in counted}


def _current(project: Project) -> Any:
    return Answer.objects.filter(author__project=project).current()
