"""Precedents: questions about a field, the leads' rulings on them, and who sees which of them where.

A question reveals what its asker thinks of the item. As long as somebody can still do the same work on that item
independently, only the asker sees the question and its ruling, on every page.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.audit.trail import record
from annotate.errors import Refused, WrongState
from annotate.items.flow import refuse_withdrawn
from annotate.models import Annotation, Item, Member, Precedent, PrecedentEvent, Skip, Slot, User
from annotate.models.work import GIVEN_UP
from annotate.notices.inbox import notify
from annotate.prepared import prepared
from lib.texts.near_duplicates import likeness


def shown_to(precedents: QuerySet[Precedent], person: Any) -> QuerySet[Precedent]:
    """Without the questions hidden from this person; their own stay, and those of items that they gave up to read."""
    given_up = Skip.objects.filter(item=OuterRef("item"), person=person, note=GIVEN_UP)
    return precedents.exclude(~Q(asked_by=person) & sealed(person) & ~Q(Exists(given_up)))


def sealed(person: Any) -> Q:
    """A filter: whether a question is about work that others still have to do independently of its asker.

    The asker has a part in a round and stage of the item, and another slot of it is unfinished; or this person had a
    part in a disagreement about it, which they can take back until somebody has taken it up.
    """
    part = Annotation.objects.filter(
        item=OuterRef("item"),
        author=OuterRef(OuterRef("asked_by")),
        slot__round=OuterRef("round"),
        slot__stage=OuterRef("stage"),
    )
    now = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("item__round"))
    not_theirs = Q(holder=None) | ~Q(holder=OuterRef("asked_by"))
    parallel_slots = now.unfinished().filter(not_theirs).filter(Exists(part))
    dispute = now.filter(stage=Slot.Stage.ADJUDICATE).open()
    return Q(Exists(parallel_slots)) | Q(Exists(now.filter(holder=person))) & Q(Exists(dispute))


def in_hand(item_id: int, person: User) -> bool:
    """Whether this person has an unfinished part in the item, or one that they can still take back."""
    own_slots = Slot.objects.filter(item_id=item_id, holder=person)
    dispute = Slot.objects.open().filter(item_id=item_id, stage=Slot.Stage.ADJUDICATE)
    return own_slots.held().exists() or (own_slots.exists() and dispute.exists())


# Rulings shown at a field of an item: about the same field, in its group or for all groups, the most similar first.


RULINGS_SHOWN = 3  # at one field
LOOKED_AT = 500  # the newest rulings; more are reached by the list


@dataclass(frozen=True)
class AtField:
    """rulings: the most similar, at most RULINGS_SHOWN; more: how many others; waiting: open questions on this item."""

    name: str
    rulings: Sequence[Precedent]
    more: int = 0
    waiting: Sequence[Precedent] = ()


class PinnedPrecedents:
    """What a page has at its fields, and which of it stands there already."""

    def __init__(self, at_fields: Mapping[str, AtField], labels: Mapping[str, str]) -> None:
        self.at_fields, self.labels = dict(at_fields), labels
        self.placed: set[str] = set()

    def take(self, names: Sequence[str]) -> list[AtField]:
        self.placed.update(names)
        return [self.at_fields[name] for name in names if name in self.at_fields]

    def left(self) -> list[AtField]:
        return self.take([name for name in self.at_fields if name not in self.placed])


def at_fields(item: Item, *, seen_by: User) -> Mapping[str, AtField]:
    """field name -> rulings and questions at it; fields without any are left out. One query.

    Similarity counts the rare words (lib/texts/near_duplicates.py) that the item's text shares with the question, the
    ruling and the title of the item that was asked about. Questions about this item come first; of equals the newest.
    """
    place = {"project": item.project_id, "item": item.pk, "person": seen_by.pk}
    precedents = _precedents_in_group.rows(**place, group=item.group) if item.group else _precedents.rows(**place)
    ruled = [precedent for precedent in precedents if precedent.ruling]
    by_field: dict[str, list[Precedent]] = defaultdict(list)
    for precedent in _nearest(item, ruled) if ruled else []:
        by_field[precedent.field].append(precedent)
    open_questions = [precedent for precedent in precedents if not precedent.ruling]
    names = dict.fromkeys([*by_field, *(precedent.field for precedent in open_questions)])
    return {
        name: AtField(
            name=name,
            rulings=by_field[name][:RULINGS_SHOWN],
            more=max(0, len(by_field[name]) - RULINGS_SHOWN),
            waiting=[precedent for precedent in open_questions if precedent.field == name],
        )
        for name in names
    }


@prepared
def _precedents(project: int, item: int, person: int) -> QuerySet[Precedent]:
    return _similar_precedents(project, item, person, ~Q(ruling=""))


@prepared
def _precedents_in_group(project: int, item: int, person: int, group: str) -> QuerySet[Precedent]:
    return _similar_precedents(project, item, person, ~Q(ruling="") & Q(group__in=["", group]))


def _similar_precedents(project: int, item: int, person: int, ruled: Q) -> QuerySet[Precedent]:
    near = Precedent.objects.filter(ruled | Q(item_id=item, ruling=""), project_id=project)
    near = shown_to(near, person).annotate(title=F("item__title"))
    return near.order_by(F("ruled_at").desc(nulls_first=True), "-id")[:LOOKED_AT]


def _nearest(item: Item, ruled: Sequence[Precedent]) -> list[Precedent]:
    kind = item.project.kind
    text = kind.reading_text(kind.read_facts(kind.upgrade(item.facts, item.schema)))
    texts = [f"{precedent.title or ''} {precedent.question} {precedent.ruling}" for precedent in ruled]  # type: ignore[attr-defined]
    scores = likeness(f"{item.title} {text}", texts)
    order = sorted(range(len(ruled)), key=lambda index: (ruled[index].item_id != item.pk, -scores[index], index))
    return [ruled[index] for index in order]


# Asking: a question is about a field of an item, and the leads are notified.


LONGEST_QUESTION = 2000  # characters


def ask(*, item: Item, field: str, by: User, question: str) -> Precedent:
    """Open until a lead rules. Raises Refused if it says nothing, or if the item has no such field.

    A lead who still has to work on the item independently learns that there is a question, but not its text.
    """
    if not question.strip():
        raise Refused(_("Write your question."))
    kind = item.project.kind
    if field not in {kind_field.name for kind_field in kind.fields(kind.read_facts(item.facts))}:
        raise Refused(_("Choose the field your question is about."))
    refuse_withdrawn(item.pk, Refused)
    with transaction.atomic():
        precedent = Precedent.objects.create(
            project_id=item.project_id,
            item=item,
            field=field,
            group=item.group,
            question=question.strip()[:LONGEST_QUESTION],
            asked_by=by,
        )
        PrecedentEvent.objects.create(
            precedent=precedent, verb="asked", text=precedent.question, group=precedent.group, actor=by
        )
        _tell_leads(precedent, item, by)
    return precedent


def _tell_leads(precedent: Precedent, item: Item, by: User) -> None:
    leads = Member.objects.filter(project_id=item.project_id, role=Member.Role.LEAD, user__is_active=True)
    for lead in leads.select_related("user"):
        readable = shown_to(Precedent.objects.filter(pk=precedent.pk), lead.user).exists()
        notify(lead.user, item, "asked", by=by, note=precedent.question if readable else "")


def read_anyway(*, precedent: Precedent, by: User) -> None:
    """Give the item up for good, so that the questions about it may be read. Raises Refused while it is held."""
    if precedent.item_id is None:
        return
    if in_hand(precedent.item_id, by):
        raise Refused(_("You are working on this item yourself. Finish it first; then you can read the question."))
    with transaction.atomic():
        given_up, is_new = Skip.objects.get_or_create(
            item_id=precedent.item_id, person=by, defaults={"reason": "other", "note": GIVEN_UP}
        )
        if not is_new:
            Skip.objects.filter(pk=given_up.pk).update(note=GIVEN_UP)
        record("ruling.question_opened", precedent)


# Ruling: a lead rules on a question; changed and withdrawn rulings stay in its history.


LONGEST_RULING = 4000  # characters


class Outruled(WrongState):
    """Another lead has ruled, changed or withdrawn since the page was read; `theirs` is the current ruling."""

    def __init__(self, current_ruling: str) -> None:
        self.theirs = current_ruling
        super().__init__(_("Someone else ruled on this in the meantime."))


def rule(*, precedent: Precedent, by: User, ruling: str, everywhere: bool, based_on: int) -> Precedent:
    """Rule for the group of the item it was asked about, or for all groups; the asker is notified.

    based_on: the last event of the question when its page was opened. Raises Outruled where there is a newer one, and
    Refused if the ruling says nothing.
    """
    text = ruling.strip()[:LONGEST_RULING]
    if not text:
        raise Refused(_("Write the ruling."))
    with transaction.atomic():
        now = _locked(precedent, based_on)
        group = "" if everywhere else asked_group(now)
        verb = "changed" if now.ruling else "ruled"
        return _keep(now, verb, by=by, text=text, ruling=text, group=group)


def withdraw(*, precedent: Precedent, by: User, based_on: int, why: str = "") -> Precedent:
    """Open the question again, for its item's group. Raises Outruled, and Refused where there is no ruling."""
    with transaction.atomic():
        now = _locked(precedent, based_on)
        if not now.ruling:
            raise Refused(_("There is no ruling to withdraw."))
        text = why.strip()[:LONGEST_RULING]
        return _keep(now, "withdrawn", by=by, text=text, ruling="", group=asked_group(now))


def asked_group(precedent: Precedent) -> str:
    """The group that the item had when the question was asked."""
    group = precedent.events.filter(verb="asked").values_list("group", flat=True).first()
    return precedent.group if group is None else group


def last_event(precedent: Precedent) -> int:
    return precedent.events.order_by("-id").values_list("pk", flat=True).first() or 0


def _locked(precedent: Precedent, based_on: int) -> Precedent:
    """Lock the question until the transaction ends; on SQLite the transaction has locked everything already."""
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
    record(f"ruling.{verb}", now, after={"group": group, "characters": len(ruling)})
    return now


def _tell_asker(now: Precedent, by: User, note: str) -> None:
    asker = now.asked_by
    if asker and asker.is_active and now.project.members.filter(user=asker).exists():
        notify(asker, now.item, "ruled", by=by, note=note, project=now.project)
