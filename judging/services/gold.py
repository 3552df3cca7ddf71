"""Answers that items hold themselves, such as a gold one and a perturbed one, as answers of authors of those names.

A text that several items hold for the same prompt is judged once in a run about single answers: the planner takes the
first of those with an equal `key_of`. Whoever reads verdicts finds that of the others by the same key.
"""

import hashlib
from itertools import islice

from django.db import transaction
from django.db.models import F

from annotate.models import Project
from judging.models import Author
from judging.services.answers.corrections import link, not_written_anew
from judging.services.answers.storing import Given, authors_called, hold, store
from judging.services.cases import Case, cases, decided
from judging.strategies.base import Strategy

TOGETHER = 500  # items whose texts are compared at once
SOURCE = "items"  # where an answer says that it comes from


def ensure(project: Project) -> int:
    """Every decided item's own answers are there as they read today; gives how many were new.

    Another text becomes another version; what an item no longer holds stays as it was. A second time changes nothing.
    """
    if not project.kind.judges_answers:
        return 0
    all_cases, new = cases(decided(project)), 0
    while batch := list(islice(all_cases, TOGETHER)):
        held = [case for case in batch if case.answers]
        new += _stored(project, held) if held else 0
    return new


def _stored(project: Project, held: list[Case]) -> int:
    described = {name: {"sort": sort} for case in held for name, (sort, _text) in case.answers.items()}
    with transaction.atomic():
        authors = authors_called(project, described)
        link(authors)
        hold([author.pk for author in authors.values()])
        new_answers = [
            Given(case.item.pk, authors[name].pk, text) for case in held for name, (_sort, text) in case.answers.items()
        ]
        return sum(store(not_written_anew(new_answers, authors), source=SOURCE))


def held(project: Project) -> str:
    """The author of the trusted answers that the items hold, called by its sort; "" where they hold none."""
    trusted_authors = Author.objects.filter(
        project=project, name=F("sort"), sort__in=(Author.Sort.GOLD, Author.Sort.REFERENCE)
    )
    return trusted_authors.order_by("name").values_list("name", flat=True).first() or ""


def trusted(project: Project) -> str:
    """The author whose answers can serve as a reference, where nobody has said whose."""
    sorts = (Author.Sort.GOLD, Author.Sort.REFERENCE)
    name = Author.objects.filter(project=project, sort__in=sorts).order_by("pk").values_list("name", flat=True).first()
    return name or "gold"


def key_of(case: Case, text: str, strategy: Strategy) -> bytes:
    """Equal where this strategy asks about the text in the same words.

    That is: for the same prompt and language and, where the strategy reads it, the same ability.
    """
    key_parts = (case.judged.sha256, case.language, strategy.reads(case.judged), text)
    return hashlib.sha256("\0".join(key_parts).encode("utf-8", "surrogatepass")).digest()
