"""A lead rules on a question; changed and withdrawn rulings stay in its history."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Precedent, PrecedentEvent, User
from annotate.services.errors import Refused, WrongState
from annotate.services.notifying import notify

LONGEST = 4000  # characters


class Outruled(WrongState):
    """Somebody else has ruled, changed or withdrawn since this was read; `theirs` is what stands now."""

    def __init__(self, current_ruling: str) -> None:
        self.theirs = current_ruling
        super().__init__(_("Somebody else has ruled on this meanwhile."))


def rule(*, precedent: Precedent, by: User, ruling: str, everywhere: bool, based_on: int) -> Precedent:
    """For the group of the item it was asked about, or for all groups; the asker hears of it.

    based_on: the last event of the question when its page was opened. Raises Outruled where there is a newer one, and
    Refused if the ruling says nothing.
    """
    text = ruling.strip()[:LONGEST]
    if not text:
        raise Refused(_("Write the ruling."))
    with transaction.atomic():
        now = _locked(precedent, based_on)
        group = "" if everywhere else asked_group(now)
        verb = "changed" if now.ruling else "ruled"
        return _keep(now, verb, by=by, text=text, ruling=text, group=group)


def withdraw(*, precedent: Precedent, by: User, based_on: int, why: str = "") -> Precedent:
    """The question is open again, about its item's group. Raises Outruled, and Refused where nothing is ruled."""
    with transaction.atomic():
        now = _locked(precedent, based_on)
        if not now.ruling:
            raise Refused(_("There is no ruling to withdraw."))
        text = why.strip()[:LONGEST]
        return _keep(now, "withdrawn", by=by, text=text, ruling="", group=asked_group(now))


def asked_group(precedent: Precedent) -> str:
    """The group of the item when it was asked about."""
    group = precedent.events.filter(verb="asked").values_list("group", flat=True).first()
    return precedent.group if group is None else group


def last_event(precedent: Precedent) -> int:
    return precedent.events.order_by("-id").values_list("pk", flat=True).first() or 0


def _locked(precedent: Precedent, based_on: int) -> Precedent:
    """Nobody else rules on it until the transaction ends; on SQLite the transaction has locked everything already."""
    now = Precedent.objects.select_for_update(of=("self",)).get(pk=precedent.pk)
    if last_event(now) != based_on:
        raise Outruled(now.ruling)
    return now


def _keep(now: Precedent, verb: str, *, by: User, text: str, ruling: str, group: str) -> Precedent:
    now.ruling, now.group = ruling, group
    now.ruled_by, now.ruled_at = (by, timezone.now()) if ruling else (None, None)
    now.save(update_fields=["ruling", "group", "ruled_by", "ruled_at"])
    PrecedentEvent.objects.create(precedent=now, verb=verb, text=text, group=group, actor=by)
    _tell_asker(now, by, ruling or _("The ruling was withdrawn.") + (f" {text}" if text else ""))
    return now


def _tell_asker(now: Precedent, by: User, note: str) -> None:
    asker = now.asked_by
    if asker and asker.is_active and now.project.members.filter(user=asker).exists():
        notify(asker, now.item, "ruled", by=by, note=note, project=now.project)
