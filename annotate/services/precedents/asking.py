"""A question is asked at a field of an item, and the leads hear of it."""

from django.db import transaction
from django.utils.translation import gettext as _

from annotate.models import Item, Member, Precedent, PrecedentEvent, Skip, User
from annotate.models.work import GIVEN_UP
from annotate.services.errors import Refused
from annotate.services.notifying import notify
from annotate.services.precedents.seeing import in_hand, shown_to
from annotate.services.withdrawn import refuse_withdrawn

LONGEST = 2000  # characters


def ask(*, item: Item, field: str, by: User, question: str) -> Precedent:
    """Open until a lead rules. Raises Refused if it says nothing, or if the item has no such field.

    A lead who is to work on the item independently hears that there is a question, and not what it says.
    """
    if not question.strip():
        raise Refused(_("Write what you want to know."))
    kind = item.project.kind
    if field not in {kind_field.name for kind_field in kind.fields(kind.read_facts(item.facts))}:
        raise Refused(_("Choose the field that the question is about."))
    refuse_withdrawn(item.pk, Refused)
    with transaction.atomic():
        precedent = Precedent.objects.create(
            project_id=item.project_id,
            item=item,
            field=field,
            group=item.group,
            question=question.strip()[:LONGEST],
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
    """Give the item up for good, and so be free to read what is asked about it. Raises Refused while it is in hand."""
    if precedent.item_id is None:
        return
    if in_hand(precedent.item_id, by):
        raise Refused(_("You have a part in this item yourself. Finish it first; then you can read the question."))
    given_up, is_new = Skip.objects.get_or_create(
        item_id=precedent.item_id, person=by, defaults={"reason": "other", "note": GIVEN_UP}
    )
    if not is_new:
        Skip.objects.filter(pk=given_up.pk).update(note=GIVEN_UP)
