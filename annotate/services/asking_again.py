"""Items that ask somebody once more what they said of another one, which is their parent.

They are for whoever answered the parent, and only after enough other items, so that nobody answers from memory.
"""

from django.db.models import Exists, OuterRef, Q

from annotate.models import Annotation, Member
from annotate.models.work import SlotQuerySet

APART = 10  # where the kind has no option for it


def within_reach(member: Member, slots: SlotQuerySet) -> SlotQuerySet:
    """Without items that ask again about one that this person has not answered, or not long enough ago."""
    if not member.project.kind.opinions:  # elsewhere a parent is what an item was made of
        return slots
    apart = getattr(member.project.kind_options, "apart", APART)
    own_texts = Annotation.objects.filter(author=member.user, submitted_at__isnull=False)
    project_texts = own_texts.filter(slot__project_id=member.project_id, slot__stage="annotate").order_by(
        "-submitted_at"
    )
    since = project_texts.values_list("submitted_at", flat=True)[apart - 1 : apart].first()
    if since is None:
        return slots.filter(item__parent=None)
    answered = Exists(own_texts.filter(item=OuterRef("item__parent"), submitted_at__lt=since))
    return slots.filter(Q(item__parent=None) | answered)
