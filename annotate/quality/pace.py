"""Pace and quality of each person over a project's newest texts, for leads and for the person. Nothing here writes.

The figures show where help is needed. They are not a ranking: people are listed by name. Every number has its n and its
interval, and below TOO_FEW the page says that n is too small. Items differ, and so do the groups that people work on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.items.queries import reviews
from annotate.kinds.values import agree_in
from annotate.models import Annotation, Item, Member, Project, Slot
from annotate.quality.anchoring import SHOWN, AnchoredText, EffectEstimate, read_texts
from lib.stats.bootstrap import resampled
from lib.stats.intervals import mean_interval, wilson

READ_AT_MOST = 5000
COMPARED_AT_MOST = 2000  # texts whose answers are read too
BLANK: tuple[Any, ...] = (None, "", [])


@dataclass(frozen=True)
class HandedInText:
    """One text. seconds: active time on the page; 0 where none was recorded. returned: None if not reviewed."""

    pk: int
    item: int
    author: int
    week: date
    seconds: int
    returned: bool | None


@dataclass(frozen=True)
class Agreement:
    """The agreement of one text: of `of` fields, `same` are equal in substance."""

    item: int
    author: int
    same: int
    of: int


def handed_in(project: Project, *, checks: bool = False) -> list[HandedInText]:
    """Newest first, at most READ_AT_MOST; two queries."""
    rows = (
        _counted_texts(project, checks)
        .order_by("-pk")
        .values_list("pk", "item", "author", "submitted_at", "active_seconds")
    )
    newest = list(rows[:READ_AT_MOST])
    back: dict[int, bool] = {}
    decided = reviews(project).filter(slot__about__isnull=False).values_list("slot__about", "outcome")
    for about, outcome in decided:
        back[about] = back.get(about, False) or outcome == Annotation.Outcome.RETURNED
    return [
        HandedInText(pk, item, author, week_of(submitted_at), seconds, back.get(pk))
        for pk, item, author, submitted_at, seconds in newest
    ]


def count(project: Project, *, checks: bool = False) -> int:
    return _counted_texts(project, checks).count()


def week_of(moment: Any) -> date:
    """The Monday of a moment's week, in the reader's time zone."""
    day = timezone.localdate(moment)
    return day - timedelta(days=day.weekday())


def with_others(project: Project) -> list[Agreement]:
    """For items that several people wrote on independently: each text against every other one of its round."""
    groups: dict[tuple[int, int], list[Annotation]] = {}
    for text in _shared(project):
        groups.setdefault((text.item_id, text.slot.round), []).append(text)  # type: ignore[union-attr]
    return [
        _text_agreement(project, text, other_text.draft, other_text.schema)
        for group in groups.values()
        for text in group
        for other_text in group
        if other_text.author_id != text.author_id
    ]


def with_adjudicated(project: Project) -> list[Agreement]:
    """Each text of an adjudicated round against the text that the adjudicator accepted."""
    verdicts = Annotation.objects.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ADJUDICATE,
        item__purpose=Item.Purpose.WORK,
        submitted_at__isnull=False,
        outcome__in=[Annotation.Outcome.ACCEPTED, Annotation.Outcome.FIXED],
    ).select_related("slot")
    truth = {(verdict.item_id, verdict.slot.round): verdict for verdict in verdicts.order_by("-pk")[:COMPARED_AT_MOST]}  # type: ignore[union-attr]
    texts = _texts(project).filter(item__in={item for item, _round in truth}).select_related("item", "slot")
    return [
        _text_agreement(project, text, judged.draft, judged.schema)
        for text in texts
        if (judged := truth.get((text.item_id, text.slot.round)))  # type: ignore[union-attr]
    ]


def _counted_texts(project: Project, checks: bool) -> QuerySet[Annotation]:
    """checks: include texts about checks, where work is known as soon as it is submitted."""
    if not checks or project.overlap > 1:
        return _texts(project)
    check_texts = _handed_in(Annotation.objects.all(), project).filter(slot__own=True)
    return _texts(project) | check_texts.exclude(item__purpose=Item.Purpose.CALIBRATION)


def _texts(project: Project) -> QuerySet[Annotation]:
    """People's texts about work items, without those that not everybody may know yet."""
    return _handed_in(Annotation.objects.in_the_open(), project).filter(item__purpose=Item.Purpose.WORK)


def _handed_in(annotations: QuerySet[Annotation], project: Project) -> QuerySet[Annotation]:
    return annotations.filter(
        slot__project=project,
        slot__stage=Slot.Stage.ANNOTATE,
        authored=True,
        author__isnull=False,
        submitted_at__isnull=False,
    )


def _shared(project: Project) -> Sequence[Annotation]:
    parallel_texts = Annotation.objects.filter(
        ~Q(author=OuterRef("author")),
        slot__item=OuterRef("item"),
        slot__round=OuterRef("slot__round"),
        slot__stage=Slot.Stage.ANNOTATE,
        submitted_at__isnull=False,
        authored=True,
    )
    return list(
        _texts(project).filter(Exists(parallel_texts)).select_related("item", "slot").order_by("-pk")[:COMPARED_AT_MOST]
    )


def _text_agreement(project: Project, text: Annotation, other_draft: Mapping[str, Any], schema: int) -> Agreement:
    """The agreement in the fields that the kind compares, without fields that both left empty."""
    kind = project.kind
    facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
    drafts = [kind.upgrade(text.draft, text.schema), kind.upgrade(dict(other_draft), schema)]
    fields = [
        field
        for field in kind.fields(facts)
        if not field.free and any(draft.get(field.name) not in BLANK for draft in drafts)
    ]
    same = sum(agree_in(field, drafts) for field in fields)
    return Agreement(text.item_id, text.author_id or 0, same, len(fields))


# The figures of each person.


WEEKS = 12


@dataclass(frozen=True)
class PersonPace:
    """One member. seconds: of work in all; minutes: per text, over texts with a recorded time.

    kept: share of suggested values left unchanged; returned: share of the reviewed texts; with_others,
    with_adjudicated: share of equal fields. The n of each counts texts.
    """

    member: Member
    items: int
    texts: int
    seconds: int
    minutes: EffectEstimate
    kept: EffectEstimate
    returned: EffectEstimate
    with_others: EffectEstimate
    with_adjudicated: EffectEstimate

    @property
    def time(self) -> timedelta:
        return timedelta(seconds=self.seconds)


@dataclass(frozen=True)
class Week:
    """A person's work in one week, which begins on Monday."""

    monday: date
    texts: int
    minutes: EffectEstimate
    kept: EffectEstimate
    returned: EffectEstimate


@dataclass(frozen=True)
class ProjectPace:
    """The texts that were read of a project. left_out: how many older texts were not read."""

    project: Project
    handed: Sequence[HandedInText]
    suggested: Sequence[AnchoredText]
    others: Sequence[Agreement]
    adjudicated: Sequence[Agreement]
    left_out: int

    def people(self) -> list[PersonPace]:
        """Everybody who may write, by name."""
        return [self.person(member) for member in self.members()]

    def members(self) -> list[Member]:
        """Everybody who may write, by name, without their figures, which take time for many."""
        members = [member for member in self.project.members.select_related("user") if member.annotates]
        return sorted(members, key=lambda member: str(member.user).casefold())

    def person(self, member: Member) -> PersonPace:
        texts = [text for text in self.handed if text.author == member.user_id]
        return PersonPace(
            member=member,
            items=len({text.item for text in texts}),
            texts=len(texts),
            seconds=sum(text.seconds for text in texts),
            minutes=_minutes(texts),
            kept=_kept_share([text for text in self.suggested if text.author == member.user_id]),
            returned=_returned(texts),
            with_others=_agreement_estimate(self.others, member.user_id),
            with_adjudicated=_agreement_estimate(self.adjudicated, member.user_id),
        )


def pace_of(project: Project, *, checks: bool = False) -> ProjectPace:
    """The pace of all people of a project, in a fixed number of queries.

    checks: count checks like work. On a person's own page, a number that does not move would reveal a check.
    """
    handed = handed_in(project, checks=checks)
    return ProjectPace(
        project=project,
        handed=handed,
        suggested=[text for text in read_texts(project, checks=checks).texts if text.arm == SHOWN],
        others=with_others(project),
        adjudicated=with_adjudicated(project),
        left_out=count(project, checks=checks) - len(handed),
    )


def weeks_of(pace: ProjectPace, member: Member, today: date) -> list[Week]:
    """The last WEEKS weeks of a person, oldest first, with the weeks without work."""
    this = today - timedelta(days=today.weekday())
    texts = [text for text in pace.handed if text.author == member.user_id]
    when = {text.pk: text.week for text in texts}
    weeks = []
    for monday in (this - timedelta(weeks=back) for back in reversed(range(WEEKS))):
        then = [text for text in texts if text.week == monday]
        suggestions = [text for text in pace.suggested if when.get(text.pk) == monday]
        weeks.append(Week(monday, len(then), _minutes(then), _kept_share(suggestions), _returned(then)))
    return weeks


def _minutes(texts: Iterable[HandedInText]) -> EffectEstimate:
    timed = [text.seconds / 60 for text in texts if text.seconds]
    return EffectEstimate(float(np.mean(timed)) if timed else None, mean_interval(timed), len(timed))


def _returned(texts: Iterable[HandedInText]) -> EffectEstimate:
    reviewed = [text.returned for text in texts if text.returned is not None]
    share = sum(reviewed) / len(reviewed) if reviewed else None
    return EffectEstimate(share, wilson(sum(reviewed), len(reviewed)), len(reviewed))


def _kept_share(texts: Sequence[AnchoredText]) -> EffectEstimate:
    """The kept share over the fields with a suggestion; whole items are resampled."""
    counted = [[text.kept(field) for field in text.fields if field.name in text.suggested] for text in texts]
    return _ratio(
        [(text.item, sum(scores), len(scores)) for text, scores in zip(texts, counted, strict=True)], len(texts)
    )


def _agreement_estimate(comparisons: Iterable[Agreement], author: int) -> EffectEstimate:
    rows = [
        (comparison.item, comparison.same, comparison.of) for comparison in comparisons if comparison.author == author
    ]
    return _ratio(rows, len(rows))


def _ratio(rows: Sequence[tuple[int, int, int]], n: int) -> EffectEstimate:
    """rows: (item, hits, of how many)."""
    index_by_item = {item: index for index, item in enumerate(dict.fromkeys(item for item, _same, _of in rows))}
    if not rows:
        return EffectEstimate(None, None, 0)
    where = [index_by_item[item] for item, _same, _of in rows]
    sums, counts = (
        np.bincount(where, weights, len(index_by_item)).astype(float)[:, None]
        for weights in ([same for _item, same, _of in rows], [total for _item, _same, total in rows])
    )
    resamples = resampled(sums, counts)
    return EffectEstimate(resamples.value(0), resamples.interval(0), n)
