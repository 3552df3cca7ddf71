"""What the checks in somebody's stream say, and the pause when they say too little."""

from collections.abc import Iterable

from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Annotation, Member, Notification, Project, Readiness
from annotate.services.readiness import asking, places, telling
from annotate.services.readiness.outcomes import Tally, tally
from annotate.services.readiness.stream import PURPOSES


def recent(project: Project, members: Iterable[Member], window: int) -> dict[int, list[Annotation]]:
    """account -> their last checks, the newest first, since a lead last let them go on; in one query."""
    condition = Q(pk=None)
    for member in members:
        since = Q(submitted_at__gt=member.checks_since) if member.checks_since else Q()
        condition |= Q(author_id=member.user_id) & since
    newest = Window(RowNumber(), partition_by=[F("author")], order_by=[F("submitted_at").desc(), F("pk").desc()])
    answers = Annotation.objects.filter(
        condition,
        slot__project=project,
        slot__no__gte=places.FIRST,
        item__purpose__in=PURPOSES,
        submitted_at__isnull=False,
    )
    newest_answers = answers.annotate(place=newest).filter(place__lte=window).select_related("item__base", "slot")
    by_person: dict[int, list[Annotation]] = {}
    for answer in newest_answers.order_by("-submitted_at", "-pk"):
        by_person.setdefault(answer.author_id or 0, []).append(answer)
    return by_person


def handed_in(member: Member) -> None:
    """After each check, inside its transaction: pause whoever is below the floor, and tell the leads and them."""
    readiness = asking.asked_by(member.project)
    if readiness is None or not readiness.floor:
        return
    # Two answers at once are reckoned one after the other, so that the later one sees both.
    locked = Member.objects.select_for_update().get(pk=member.pk)
    answers = recent(member.project, [locked], readiness.window).get(member.user_id, [])
    answer_tally = tally(answers, member.project)
    if locked.paused_at is None and len(answers) >= readiness.window and not answer_tally.reaches(readiness.floor):
        _pause(member, readiness, answer_tally)


def _pause(member: Member, readiness: Readiness, answer_tally: Tally) -> None:
    figures = {
        "name": member.user,
        "checks": answer_tally.checks,
        "share": round(answer_tally.percent or 0),
        "floor": round(100 * readiness.floor),
    }

    def reason() -> str:
        return (
            _(
                "Some items among your work have a known answer. Of your last %(checks)d of them, %(share)d%% of the "
                "fields were as expected; this project asks for %(floor)d%%."
            )
            % figures
        )

    def word() -> str:
        return (
            _(
                "%(name)s is paused: of the last %(checks)d checks, %(share)d%% of the fields were as expected, and "
                "%(floor)d%% are asked for. See how they went, talk to them, and let them go on."
            )
            % figures
        )

    Member.objects.filter(pk=member.pk, paused_at=None).update(
        paused_at=timezone.now(), paused_reason=telling.said_to(member.user, reason)
    )
    telling.tell_leads(member.project, Notification.Verb.PAUSED, word)
    telling.tell(member.user, member.project, Notification.Verb.PAUSED, reason, by=None)
