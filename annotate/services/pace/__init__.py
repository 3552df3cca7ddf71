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
        members = [member for member in self.project.members.select_related("user") if member.annotates]
        return [self.person(member) for member in sorted(members, key=lambda member: str(member.user).casefold())]

    def person(self, member: Member) -> Person:
        texts = [text for text in self.handed if text.author == member.user_id]
        return Person(
            member=member,
            items=len({text.item for text in texts}),
            texts=len(texts),
            seconds=sum(text.seconds for text in texts),
            minutes=_minutes(texts),
            kept=_kept([text for text in self.suggested if text.author == member.user_id]),
            returned=_returned(texts),
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
        suggested=[text for text in read_texts(project, checks=checks).texts if text.arm == SHOWN],
        others=reading.with_others(project),
        adjudicated=reading.with_adjudicated(project),
        left_out=reading.count(project, checks=checks) - len(handed),
    )


def weeks_of(pace: Pace, member: Member, today: date) -> list[Week]:
    """The last WEEKS weeks of a person, the oldest first; weeks without work are there too."""
    this = today - timedelta(days=today.weekday())
    texts = [text for text in pace.handed if text.author == member.user_id]
    when = {text.pk: text.week for text in texts}
    weeks = []
    for monday in (this - timedelta(weeks=back) for back in reversed(range(WEEKS))):
        then = [text for text in texts if text.week == monday]
        suggestions = [text for text in pace.suggested if when.get(text.pk) == monday]
        weeks.append(Week(monday, len(then), _minutes(then), _kept(suggestions), _returned(then)))
    return weeks


def _minutes(texts: Iterable[Handed]) -> Estimate:
    timed = [text.seconds / 60 for text in texts if text.seconds]
    return Estimate(float(np.mean(timed)) if timed else None, mean_interval(timed), len(timed))


def _returned(texts: Iterable[Handed]) -> Estimate:
    reviewed = [text.returned for text in texts if text.returned is not None]
    share = sum(reviewed) / len(reviewed) if reviewed else None
    return Estimate(share, share_interval(sum(reviewed), len(reviewed)), len(reviewed))


def _kept(texts: Sequence[Text]) -> Estimate:
    """Over the fields for which something was suggested; items are drawn again whole."""
    counted = [[text.kept(field) for field in text.fields if field.name in text.suggested] for text in texts]
    return _ratio(
        [(text.item, sum(scores), len(scores)) for text, scores in zip(texts, counted, strict=True)], len(texts)
    )


def _agreement(comparisons: Iterable[Agreed], author: int) -> Estimate:
    rows = [
        (comparison.item, comparison.same, comparison.of) for comparison in comparisons if comparison.author == author
    ]
    return _ratio(rows, len(rows))


def _ratio(rows: Sequence[tuple[int, int, int]], n: int) -> Estimate:
    """rows: item, how many of how many."""
    index_by_item = {item: index for index, item in enumerate(dict.fromkeys(item for item, _same, _of in rows))}
    if not rows:
        return Estimate(None, None, 0)
    where = [index_by_item[item] for item, _same, _of in rows]
    sums, counts = (
        np.bincount(where, weights, len(index_by_item)).astype(float)[:, None]
        for weights in ([same for _item, same, _of in rows], [total for _item, _same, total in rows])
    )
    resamples = resampled(sums, counts)
    return Estimate(resamples.value(0), resamples.interval(0), n)
