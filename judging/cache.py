"""Cache of long calculations; a result stays valid until something changes that it was made of."""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from django.core.cache import caches
from django.db.models import Count, Max, Q

from annotate.models import Item, Job, Project
from judging.models import Answer, Author, Judge, Verdict

T = TypeVar("T")
KEPT_SECONDS = 60 * 60  # seconds; unused results expire
PRODUCT = Path(__file__).resolve().parents[1]


def cached(name: str, state: str, make: Callable[[], T]) -> T:
    """The result of make(), computed once for each state. Each state has its own cache key: nothing is stale."""
    key = f"judging:{name}:{state}"
    stored: T | None = caches["local"].get(key)
    if stored is None:
        stored = make()
        caches["local"].set(key, stored, KEPT_SECONDS)
    return stored


def source_digest(module: str = "") -> str:
    """A digest of the product's Python source, and of this module's if it lies elsewhere.

    All of the product, because numbers depend on the kinds, readers and strategies that registries find.
    """
    own_file = getattr(sys.modules.get(module), "__file__", None)
    if own_file is None or PRODUCT in Path(own_file).resolve().parents:
        return _product_digest()
    return _product_digest() + sha256(Path(own_file).read_bytes()).hexdigest()[:16]


@cache
def _product_digest() -> str:
    files = sorted(path for room in ("annotate", "judging", "lib") for path in (PRODUCT / room).rglob("*.py"))
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]


def states_of(project: Project, judges: Sequence[Judge]) -> dict[int, str]:
    """judge -> a digest that changes with every verdict of it, answer, item, author and setting of the project.

    Always five queries. Ids only grow, and rows are never changed, only deleted, so the highest id and the count
    identify a state.
    """
    counted = Verdict.objects.filter(judge__in=judges).order_by().values_list("judge")
    verdicts = {
        judge: counts
        for judge, *counts in counted.annotate(
            newest=Max("pk"),
            n=Count("pk"),
            named=Count("pk", filter=Q(found_in_explanation=True)),
            not_named=Count("pk", filter=Q(found_in_explanation=False)),
            quoted=Count("pk", filter=Q(found_from="answers-and-quote")),
        )
    }
    common = [source_digest(), project.pk, project.options, *_common(project)]
    return {
        judge.pk: _digest([*common, str(judge), judge.simulated, judge.pk, verdicts.get(judge.pk)]) for judge in judges
    }


def state_of_all(project: Project) -> str:
    """The same for all judges of a project together. Six queries."""
    states = states_of(project, list(Judge.objects.filter(project=project)))
    return _digest([source_digest(), project.pk, *sorted(states.items())])


def _common(project: Project) -> list[Any]:
    answers = Answer.objects.filter(author__project=project)
    items = Item.objects.filter(project=project)
    jobs = Job.objects.filter(run__project=project, run__purpose="judge", state=Job.State.FAILED)
    authors = Author.objects.filter(project=project).order_by("pk").values_list("pk", "name", "sort")
    return [
        answers.aggregate(newest=Max("pk"), n=Count("pk")),
        items.aggregate(newest=Max("changed_at"), n=Count("pk")),
        jobs.aggregate(newest=Max("ended_at"), n=Count("pk")),
        list(authors),
    ]


def _digest(parts: list[Any]) -> str:
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
