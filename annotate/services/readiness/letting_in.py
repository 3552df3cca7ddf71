"""What a lead does with people: let them in, ask for another attempt, let them go on after a pause."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Item, Member, Notification, User
from annotate.models.work import SlotQuerySet
from annotate.services.errors import Refused
from annotate.services.readiness import asking, calibration, places, telling

Verb = Notification.Verb


def let_in(member: Member, *, by: User) -> None:
    """The queue is open to this person, whatever the calibration says. Raises Refused where it is already."""
    with transaction.atomic():
        if not Member.objects.filter(pk=member.pk, calibrated_at=None).update(calibrated_at=timezone.now()):
            raise Refused(_("%(name)s has been let in already.") % {"name": member.user})
        places.void_unfinished(_calibration(member))
        telling.tell(member.user, member.project, Verb.CALIBRATE, lambda: _("The queue is open to you now."), by=by)


def ask_again(member: Member, *, by: User) -> None:
    """Another attempt, from its beginning; the queue is closed until it is passed. Raises Refused without items."""
    readiness = asking.asked_by(member.project)
    if readiness is None or not readiness.calibration_each:
        raise Refused(_("This project asks for no calibration."))
    if not places.until_free(lambda: _open_again(member)):
        raise Refused(_("There are no calibration items within what is given to %(name)s.") % {"name": member.user})
    telling.tell(
        member.user, member.project, Verb.CALIBRATE, lambda: _("Please work the calibration once more."), by=by
    )


def _open_again(member: Member) -> bool:
    locked = Member.objects.select_for_update().get(pk=member.pk)
    standing = calibration.standing(member)
    places.void_unfinished(_calibration(member))
    slot_count = calibration.open_attempt(member, standing.next_attempt)
    if slot_count:
        locked.calibrated_at = member.calibrated_at = None
        locked.save(update_fields=["calibrated_at"])
    return bool(slot_count)


def go_on(member: Member, *, by: User) -> None:
    """After a pause; checks begin to count anew. Raises Refused where there is no pause."""
    with transaction.atomic():
        paused = Member.objects.filter(pk=member.pk, paused_at__isnull=False)
        if not paused.update(paused_at=None, paused_reason="", checks_since=timezone.now()):
            raise Refused(_("%(name)s is not paused.") % {"name": member.user})
        telling.tell(member.user, member.project, Verb.RESUMED, lambda: _("You can go on with your work."), by=by)


def _calibration(member: Member) -> SlotQuerySet:
    return places.places_of(member).filter(item__purpose=Item.Purpose.CALIBRATION)
