"""Runs of one sample: cases drawn once, a run for each setting, all of them about the same cases."""

import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import Endpoint, Project, Run, User
from annotate.services import runs
from annotate.services.errors import Refused
from judging.models import Answer, Author
from judging.services import gold
from judging.services.cases import cases, judgeable
from judging.services.judgements.samples import Sample
from judging.strategies import strategies

STRATEGY = "intent"
LEAST, MOST = 2, 5
LARGEST = 2000  # cases of a sample: their ids stand in every run


@dataclass(frozen=True)
class Setting:
    """Who judges, and whose answers are the references. endpoint: any that may be chosen."""

    endpoint: Endpoint
    reference: str


@dataclass(frozen=True)
class Wish:
    """authors: whose answers are judged; none named: everybody who has answered and is nobody's reference."""

    project: Project
    settings: Sequence[Setting]
    size: int
    seed: int
    authors: Sequence[str] = ()


def plan(wish: Wish, *, by: User | None, budget: Decimal | None = None) -> list[Run]:
    """A planned run for each setting, in their order; nothing is sent. Raises Refused, and keeps nothing then."""
    gold.ensure(wish.project)
    sample = draw(wish)
    authors = _authors(wish)
    with transaction.atomic():
        return [
            runs.plan(
                project=wish.project,
                purpose="judge",
                endpoint=setting.endpoint,
                by=by,
                options={"strategy": STRATEGY, "authors": authors, "reference": setting.reference} | sample.stored(),
                budget=budget,
                whole=True,
            )
            for setting in wish.settings
        ]


def draw(wish: Wish) -> Sample:
    """Cases that everybody has answered: the references and whoever is judged. The same seed draws the same.

    Raises Refused where the settings make no comparison, or there are fewer such cases than asked for.
    """
    _refuse_settings(wish)
    able = _able(wish)
    if not 0 < wish.size <= min(len(able), LARGEST):
        message = _("%(n)d cases have answers of all of them: choose from 1 to %(most)d.")
        raise Refused(message % {"n": len(able), "most": min(len(able), LARGEST)})
    case_pks = random.Random(wish.seed).sample(able, wish.size)  # noqa: S311 - a sample that can be drawn again
    return Sample(secrets.token_hex(4), wish.seed, wish.size, sorted(case_pks))


def _refuse_settings(wish: Wish) -> None:
    pairs = [(setting.endpoint.pk, setting.reference) for setting in wish.settings]
    if not LEAST <= len(pairs) <= MOST:
        raise Refused(_("Choose from two to five settings."))
    if len(set(pairs)) < len(pairs):
        raise Refused(_("Two settings are the same: each is another judge or another reference."))
    author_names = {setting.reference for setting in wish.settings} | set(wish.authors)
    missing = author_names - set(
        Author.objects.filter(project=wish.project, name__in=author_names).values_list("name", flat=True)
    )
    if missing:
        raise Refused(_("There is no author “%(name)s”.") % {"name": min(missing)})
    if not _authors(wish):
        raise Refused(_("Nobody is left to be judged: all authors are references."))


def _authors(wish: Wish) -> list[str]:
    """Those who are judged. Where one of them is a reference, that setting leaves them out."""
    references = {setting.reference for setting in wish.settings}
    available_authors = (
        Author.objects.filter(project=wish.project, answers__known=True).exclude(name__in=references).distinct()
    )
    return sorted(wish.authors) or list(available_authors.order_by("name").values_list("name", flat=True))


def _able(wish: Wish) -> list[int]:
    """Ids of the cases that suit the strategy and that all have answered, in order; four queries."""
    strategy = strategies()[STRATEGY]
    suited = [case.item.pk for case in cases(judgeable(wish.project).order_by("pk")) if strategy.suits(case.judged)]
    needed = {*_authors(wish), *(setting.reference for setting in wish.settings)}
    answers = Answer.objects.current().filter(author__project=wish.project, author__name__in=needed, known=True)
    by_item: dict[int, set[str]] = {}
    for item, author in answers.values_list("item_id", "author__name"):
        by_item.setdefault(item, set()).add(author)
    return [pk for pk in suited if needed <= by_item.get(pk, set())]
