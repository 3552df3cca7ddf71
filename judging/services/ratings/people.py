"""People's side of ratings: what their votes say of the answers behind the ballots."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet

from annotate.kinds import all_kinds
from annotate.kinds.base import Kind
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Project, Slot
from annotate.services.dealing import dealt_to
from judging.models import Ballot
from judging.services.ratings.base import PREFERENCE, Rater, Rating
from judging.services.ratings.today import Today

TURNED = {"first": "second", "second": "first"}
# Of a vote and what it is about: there may be a hundred thousand.
READ = (
    *("draft", "schema", "rater", "author__username"),
    *("item__facts", "item__schema", "item__parent", "item__project__kind_slug"),
    *("item__ballot__first__item", "item__ballot__second"),
)


def of_people(
    project: Project, rating_kind: str, *, left_out: Counter[str] | None = None, today: Today | None = None
) -> Iterator[Rating]:
    """What people said of the answers to this project's items, in the order of the vote items.

    rating_kind: CHECKLIST, SCORE or PREFERENCE. Read from what was submitted in studies of this project and from what
    raters of a file said, who are told apart from accounts of the same name; of one person's votes on one item the
    last. left_out, where given, counts votes that are about an older version of an answer (`outdated`) or whose texts
    do not read any more (`unreadable`). today: of this project, where it is at hand. Two queries.
    """
    people_ratings = list(
        _of_people(project, rating_kind, Counter() if left_out is None else left_out, today or Today(project))
    )
    accounts = {rating.rater.name for rating in people_ratings if rating.rater.pk is not None}
    return (
        _called_apart(rating) if rating.rater.pk is None and rating.rater.name in accounts else rating
        for rating in people_ratings
    )


def _of_people(project: Project, rating_kind: str, skip_counts: Counter[str], today: Today) -> Iterator[Rating]:
    kinds = {slug: kind for slug, kind in all_kinds().items() if kind.voted == rating_kind}
    for vote in _last(_votes(project, kinds)):
        ballot, kind = vote.item.ballot, kinds[vote.item.project.kind_slug]
        if not {ballot.first_id, ballot.second_id or ballot.first_id} <= today.answers.keys():
            skip_counts["outdated"] += 1
            continue
        try:
            values = _said(kind, vote)
        except BadShape:
            skip_counts["unreadable"] += 1
            continue
        yield from _ratings(vote, ballot, _rater(vote), values, rating_kind)


def _votes(project: Project, kinds: Mapping[str, Kind]) -> QuerySet[Annotation]:
    by_people = Q(author__isnull=False, slot__stage=Slot.Stage.ANNOTATE) | ~Q(rater="")
    about = Annotation.objects.filter(
        item__ballot__first__item__project=project,
        item__project__kind_slug__in=list(kinds),
        item__purpose="work",
        item__parent=None,  # who is asked once more says nothing new about the answers: see services/studies/live.py
        submitted_at__isnull=False,
    )
    return about.filter(by_people)


def _last(votes: QuerySet[Annotation]) -> Iterator[Annotation]:
    """The newest of each person and item; items follow each other."""
    newest: dict[tuple[int | None, str], Annotation] = {}
    item = None
    whole = votes.select_related("item__project", "author", "item__ballot__first")
    for vote in whole.only(*READ).order_by("item_id", "pk").iterator(chunk_size=2000):
        if vote.item_id != item:
            yield from newest.values()
            newest, item = {}, vote.item_id
        newest[vote.author_id, vote.rater] = vote
    yield from newest.values()


def _said(kind: Kind, vote: Annotation) -> Mapping[str, float | str | None]:
    facts = kind.read_facts(kind.upgrade(vote.item.facts, vote.item.schema))
    return kind.votes(facts, kind.read_draft(kind.upgrade(vote.draft, vote.schema)))


def _rater(vote: Annotation) -> Rater:
    if vote.author is not None:
        return Rater("person", vote.author.get_username(), vote.author_id)
    return Rater("person", vote.rater)


def _called_apart(rating: Rating) -> Rating:
    """A rater of a file who is called like an account."""
    return replace(rating, rater=replace(rating.rater, name=f"{rating.rater.name} (file)"))


def _ratings(
    vote: Annotation, ballot: Ballot, rater: Rater, values: Mapping[str, Any], rating_kind: str
) -> Iterator[Rating]:
    turned = rating_kind == PREFERENCE and ballot.second_id is not None and ballot.first_id > ballot.second_id
    dealt = dealt_to(vote.item, vote.author_id) % 2 == 1 if rating_kind == PREFERENCE else False
    for axis, value in values.items():
        yield Rating(
            unit=unit_of(ballot, axis),
            rater=rater,
            value=TURNED.get(value, value) if turned and isinstance(value, str) else value,
            item=ballot.first.item_id,
            axis=axis,
            swapped=turned != dealt,
            source=vote.pk,
            recognised=vote.draft.get("recognised") is True,
        )


def unit_of(ballot: Ballot, axis: str) -> str:
    """What is rated, as ratings/base.py names it."""
    if ballot.second_id is not None:
        unit = f"pair/{min(ballot.first_id, ballot.second_id)}/{max(ballot.first_id, ballot.second_id)}"
    else:
        unit = f"answer/{ballot.first_id}"
    return f"{unit}/{axis}" if axis else unit
