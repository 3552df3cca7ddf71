"""The effects of other requirements on people: who has to pass first, who may start, who would be below the minimum."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate import hidden_checks
from annotate.models import Annotation, Member, Project, Readiness
from annotate.option_forms.forms import Effect
from annotate.readiness import calibration, checks, queries


def effects(project: Project, values: Mapping[str, Any]) -> list[Effect]:
    """values: columns of Readiness as they would be stored. Empty if nothing would change."""
    before = hidden_checks.requirements_of(project) or Readiness(project_id=project.pk)
    columns = {field.attname: getattr(before, field.attname) for field in Readiness._meta.concrete_fields}
    if columns == columns | dict(values):
        return []
    after = Readiness(**columns | dict(values))
    working = project.members.who_can(Member.Role.ANNOTATOR, Member.Role.REVIEWER).filter(user__is_active=True)
    members = list(working.select_related("user").order_by("joined_at", "pk"))
    for member in members:
        member.project = project
    counted = [
        *_of_the_calibration(project, members, before, after),
        *_of_the_checks(project, before, after),
        *_of_the_minimum(project, members, before, after),
    ]
    return [*counted, _submitted_answers(project)]


def _submitted_answers(project: Project) -> Effect:
    n = Annotation.objects.filter(item__project=project, authored=True, submitted_at__isnull=False).count()
    text = ngettext(
        "Nothing changes for stored work: %(n)d submitted text stays as it is.",
        "Nothing changes for stored work: %(n)d submitted texts stay as they are.",
        n,
    )
    return Effect(text % {"n": n}, n)


# The calibration: who is kept from the queue until they have passed.


def _of_the_calibration(
    project: Project, members: Sequence[Member], before: Readiness, after: Readiness
) -> Iterator[Effect]:
    was_closed, is_closed = _closed(project, members, before), _closed(project, members, after)
    stopped = [member for member in members if member.pk in is_closed and member.pk not in was_closed]
    yield from _people(stopped, _stopped_words, stops=True)
    yield from _people([member for member in stopped if not calibration.has_items(member)], _stuck_words, stops=True)
    freed = was_closed.keys() - is_closed.keys()
    yield from _people([member for member in members if member.pk in freed], _free_words)
    waiting = [pk for pk, state in is_closed.items() if state == "waiting" and was_closed.get(pk) != "waiting"]
    yield from _people([member for member in members if member.pk in waiting], _waiting_words, stops=True)
    under_way = [member for member in members if is_closed.get(member.pk) == "running"]
    if before.calibration_each != after.calibration_each:
        yield from _people(under_way, _under_way_words)


def _closed(project: Project, members: Sequence[Member], readiness: Readiness) -> dict[int, str]:
    """member -> state of their calibration, of those to whom the queue would not be open at their next visit."""
    if not readiness.calibration_each:
        return {}
    standings = queries.standings(project, members, readiness)
    return {pk: standing.state for pk, standing in standings.items() if standing.state != "passed"}


def _people(members: Sequence[Member], words: Any, *, stops: bool = False) -> Iterator[Effect]:
    if members:
        n = len(members)
        yield Effect(words(n) % {"n": n}, n, stops=stops, names=[str(member.user) for member in members])


def _stopped_words(n: int) -> str:
    return ngettext(
        "%(n)d person will be paused until they pass the calibration:",
        "%(n)d people will be paused until they pass the calibration:",
        n,
    )


def _stuck_words(n: int) -> str:
    return ngettext(
        "%(n)d of them cannot pass yet, because no calibration item fits their languages and groups:",
        "%(n)d of them cannot pass yet, because no calibration items fit their languages and groups:",
        n,
    )


def _free_words(n: int) -> str:
    return ngettext("%(n)d person can work at once:", "%(n)d people can work at once:", n)


def _waiting_words(n: int) -> str:
    return ngettext(
        "%(n)d person has done the calibration and waits for your review:",
        "%(n)d people have done the calibration and wait for your review:",
        n,
    )


def _under_way_words(n: int) -> str:
    return ngettext(
        "%(n)d person finishes an attempt with the items it began with:",
        "%(n)d people finish an attempt with the items it began with:",
        n,
    )


# Hidden checks, and the minimum that pauses.


def _of_the_checks(project: Project, before: Readiness, after: Readiness) -> Iterator[Effect]:
    if before.check_share == after.check_share:
        return
    n = queries.pool(project).checks
    if not after.check_share:
        yield Effect(_("Hidden checks are no longer handed out; answers to earlier ones count on."))
    elif not n:
        yield Effect(_("No hidden check is handed out until you mark gold or attention items."), 0, stops=True)
    else:
        text = ngettext(
            "%(n)d item can be handed out as a hidden check, once to each person.",
            "%(n)d items can be handed out as hidden checks, once to each person.",
            n,
        )
        yield Effect(text % {"n": n}, n)


def _of_the_minimum(
    project: Project, members: Sequence[Member], before: Readiness, after: Readiness
) -> Iterator[Effect]:
    if (before.floor, before.window) == (after.floor, after.window):
        return
    newly_below = _below(project, members, after).keys() - _below(project, members, before).keys()
    yield from _people([member for member in members if member.pk in newly_below], _below_words, stops=True)
    paused = [member for member in members if member.paused_at is not None]
    yield from _people(paused, _paused_words)


def _below(project: Project, members: Sequence[Member], readiness: Readiness) -> dict[int, float]:
    """member -> percent, of those whose last checks are as many as count and below the minimum; not of paused ones."""
    if not readiness.floor:
        return {}
    answers = checks.recent(project, members, readiness.window)
    tallies = {
        member.pk: calibration.tally(answers.get(member.user_id, []), project)
        for member in members
        if member.paused_at is None and len(answers.get(member.user_id, [])) >= readiness.window
    }
    return {pk: tally.percent or 0 for pk, tally in tallies.items() if not tally.reaches(readiness.floor)}


def _below_words(n: int) -> str:
    return ngettext(
        "%(n)d person is below this minimum now, and is paused after the next check unless it lifts them:",
        "%(n)d people are below this minimum now, and are paused after the next check unless it lifts them:",
        n,
    )


def _paused_words(n: int) -> str:
    return ngettext(
        "%(n)d person stays paused until you let them continue:",
        "%(n)d people stay paused until you let them continue:",
        n,
    )
