"""Pace and quality of each person, for whoever leads and for themselves: to see where help is needed, not to rank.

Nobody is put in an order of merit: people come by name. Every number has its n and its interval, and below TOO_FEW it
is said to say nothing yet. Items differ, and so do the groups that people work on. Nothing in here writes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from annotate.models import Member, Project
from annotate.services.anchoring import TOO_FEW, Estimate
from annotate.services.anchoring.texts import SHOWN, Text, read_texts
from annotate.services.pace import texts as reading
from annotate.services.pace.texts import Agreed, Handed
from lib.stats.intervals import mean_interval, share_interval
from lib.stats.resampling import resampled

WEEKS = 12

__all__ = ["TOO_FEW", "WEEKS", "Pace", "Person", "Week", "pace_of", "weeks_of"]


@dataclass(frozen=True)
class Person:
    """One member. seconds: of work in all; minutes: for each text, of those with a time recorded.

    kept: share of suggested values left as they were; returned: of the reviewed texts; with_others, with_adjudicated:
    share of fields that say the same. n of each: texts.
    """

    member: Member
    items: int
    texts: int
    seconds: int
    minutes: Estimate
    kept: Estimate
    returned: Estimate
    with_others: Estimate
    with_adjudicated: Estimate

    @property
    def time(self) -> timedelta:
        return timedelta(seconds=self.seconds)


@dataclass(frozen=True)
class Week:
    """What a person did in a week from Monday on."""

    monday: date
    texts: int
    minutes: Estimate
    kept: Estimate
    returned: Estimate


@dataclass(frozen=True)
class Pace:
    """All that was read of a project. left_out: texts older than the newest ones that are read."""

    project: Project
    handed: Sequence[Handed]
    suggested: Sequence[Text]
    others: Sequence[Agreed]
    adjudicated: Sequence[Agreed]
    left_out: int

    def people(self) -> list[Person]:
        """Everybody who may write, by name."""
        members = [one for one in self.project.members.select_related("user") if one.annotates]
        return [self.person(one) for one in sorted(members, key=lambda one: str(one.user).casefold())]

    def person(self, member: Member) -> Person:
        mine = [one for one in self.handed if one.author == member.user_id]
        return Person(
            member=member,
            items=len({one.item for one in mine}),
            texts=len(mine),
            seconds=sum(one.seconds for one in mine),
            minutes=_minutes(mine),
            kept=_kept([one for one in self.suggested if one.author == member.user_id]),
            returned=_returned(mine),
            with_others=_agreement(self.others, member.user_id),
            with_adjudicated=_agreement(self.adjudicated, member.user_id),
        )


def pace_of(project: Project, *, checks: bool = False) -> Pace:
    """Read once for all people of a project, in a fixed number of queries.

    checks: counted like work. On a page that people see of themselves a number that stands still would tell a check.
    """
    handed = reading.handed_in(project, checks=checks)
    return Pace(
        project=project,
        handed=handed,
        suggested=[one for one in read_texts(project, checks=checks).texts if one.arm == SHOWN],
        others=reading.with_others(project),
        adjudicated=reading.with_adjudicated(project),
        left_out=reading.count(project, checks=checks) - len(handed),
    )


def weeks_of(pace: Pace, member: Member, today: date) -> list[Week]:
    """The last WEEKS weeks of a person, the oldest first; weeks without work are there too."""
    this = today - timedelta(days=today.weekday())
    mine = [one for one in pace.handed if one.author == member.user_id]
    when = {one.pk: one.week for one in mine}
    found = []
    for monday in (this - timedelta(weeks=back) for back in reversed(range(WEEKS))):
        then = [one for one in mine if one.week == monday]
        kept = [one for one in pace.suggested if when.get(one.pk) == monday]
        found.append(Week(monday, len(then), _minutes(then), _kept(kept), _returned(then)))
    return found


def _minutes(texts: Iterable[Handed]) -> Estimate:
    timed = [one.seconds / 60 for one in texts if one.seconds]
    return Estimate(float(np.mean(timed)) if timed else None, mean_interval(timed), len(timed))


def _returned(texts: Iterable[Handed]) -> Estimate:
    reviewed = [one.returned for one in texts if one.returned is not None]
    share = sum(reviewed) / len(reviewed) if reviewed else None
    return Estimate(share, share_interval(sum(reviewed), len(reviewed)), len(reviewed))


def _kept(texts: Sequence[Text]) -> Estimate:
    """Over the fields for which something was suggested; items are drawn again whole."""
    counted = [[one.kept(field) for field in one.fields if field.name in one.suggested] for one in texts]
    return _ratio([(one.item, sum(kept), len(kept)) for one, kept in zip(texts, counted, strict=True)], len(texts))


def _agreement(known: Iterable[Agreed], author: int) -> Estimate:
    mine = [(one.item, one.same, one.of) for one in known if one.author == author]
    return _ratio(mine, len(mine))


def _ratio(rows: Sequence[tuple[int, int, int]], n: int) -> Estimate:
    """rows: item, how many of how many."""
    places = {item: place for place, item in enumerate(dict.fromkeys(item for item, _same, _of in rows))}
    if not rows:
        return Estimate(None, None, 0)
    where = [places[item] for item, _same, _of in rows]
    sums, counts = (
        np.bincount(where, weights, len(places)).astype(float)[:, None]
        for weights in ([same for _item, same, _of in rows], [of for _item, _same, of in rows])
    )
    found = resampled(sums, counts)
    return Estimate(found.value(0), found.interval(0), n)
