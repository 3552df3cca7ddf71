"""A newer version of the guidelines with what it sends back to work, and questions about fields with their rulings."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotate.models import Guideline, Item, Member, Precedent, PrecedentEvent, Project, Reopening

Say = Callable[[str], str]


def ruled(project: Project, members: dict[str, Member], say: Say, item_id: int) -> dict[str, Any]:
    """Ids by what they are; `item_id`: of the item about which was asked."""
    lead = next(member.user for member in members.values() if member.leads)
    text = f"{say('newer guidelines')}\n\n# {say('section')[:60]} {{fields: feedback}}\n\n{say('rule')}"
    newer = Guideline.objects.create(project=project, version=3, text=text, note=say("newer note")[:200], author=lead)
    reopening = Reopening.objects.create(
        project=project,
        guideline=newer,
        selection={"ids": [item_id]},
        note=say("reopening note"),
        state=Reopening.State.DONE,
        reopened=1,
        ended_at=timezone.now(),
        created_by=lead,
    )
    asker = next((member.user for member in members.values() if not member.leads and member.annotates), lead)
    return {
        "reopening": reopening.pk,
        "question": _asked(project, item_id, asker, say("question")).pk,
        "ruling": _ruled(_asked(project, item_id, asker, say("ruled question")), lead, say("ruling")).pk,
    }


def _asked(project: Project, item_id: int, asker: Any, question: str) -> Precedent:
    group = Item.objects.values_list("group", flat=True).get(pk=item_id)
    made = Precedent.objects.create(
        project=project, item_id=item_id, field="feedback", group=group, question=question, asked_by=asker
    )
    PrecedentEvent.objects.create(precedent=made, verb="asked", text=question, group=group, actor=asker)
    return made


def _ruled(precedent: Precedent, lead: Any, ruling: str) -> Precedent:
    Precedent.objects.filter(pk=precedent.pk).update(ruling=ruling, ruled_by=lead, ruled_at=timezone.now(), group="")
    PrecedentEvent.objects.create(precedent=precedent, verb="ruled", text=ruling, actor=lead)
    return precedent
