"""What an installation holds before a race: a project, its people, items that wait in the queue."""

from tests.support.installation import Installation
from tests.support.reviews import FACTS, SUGGESTED
from tests.support.samples import write_samples

MAKE = """
from annotate.items import flow, slots
from django.utils import timezone

made = Project.objects.create(slug="race", name="Race", kind_slug="feedback", **project)
users = User.objects.bulk_create(User(username=f"p{number}", password="!") for number in range(people))
Member.objects.bulk_create(Member(project=made, user=user, role=role) for user in users)
for number in range(items):
    item = Item.objects.create(project=made, key=f"k{number}", title="t", facts=facts, content_hash=str(number))
    Annotation.objects.create(item=item, model="drafter", draft=suggestion, submitted_at=timezone.now())
    flow.move(item, "ready", by=None)
    slots.open_annotating(item, made)
result = [user.username for user in users]
"""


def people_and_work(
    installation: Installation, *, people: int, items: int, role: str = "annotator", **project: object
) -> list[str]:
    """A project `race` with its items ready; gives the names of its people."""
    return installation.python(
        MAKE, people=people, items=items, role=role, project=project, facts=FACTS, suggestion=SUGGESTED
    )


HOLD = """
from annotate.items import drafts, queue

result = []
for member in Member.objects.filter(role="annotator").select_related("project", "user").order_by("id"):
    slot = queue.claim_next(member, "annotate")
    mine = drafts.open_draft(slot, author=member.user, item=slot.item, project=member.project)
    result.append({"person": member.user.username, "annotation": mine.pk, "token": slot.token, "slot": slot.pk,
                   "item": slot.item_id})
"""


def everybody_holds_one(installation: Installation) -> list[dict[str, object]]:
    """Every annotator has an item open that is ready to be handed in."""
    return installation.python(HOLD)


HAND_IN = """
from annotate.work import submit
from django.utils import timezone

result = []
for mine in Annotation.objects.exclude(author=None).select_related("slot", "author", "suggestion").order_by("id"):
    submit.submit(annotation=mine, token=mine.slot.token, by=mine.author)
    review = Slot.objects.get(stage="review", item_id=mine.item_id)
    Slot.objects.filter(pk=review.pk).update(opens_at=timezone.now())
    result.append({"person": mine.author.username, "annotation": mine.pk, "slot": review.pk, "item": mine.item_id})
"""


def everybody_handed_in(installation: Installation) -> list[dict[str, object]]:
    """Every annotator has handed in one item, and its review is open."""
    everybody_holds_one(installation)
    return installation.python(HAND_IN)


SEND_BACK = """
from annotate.items import drafts, queue
from annotate.review import decisions

result = []
reviewers = list(Member.objects.filter(role="reviewer").select_related("project", "user").order_by("id"))
waiting = Slot.objects.filter(stage="review").select_related("item").order_by("id")
for member, slot in zip(reviewers, waiting, strict=True):
    held = queue.claim(slot.pk, member)
    review = drafts.open_draft(held, author=member.user, item=slot.item, project=member.project)
    reasons = [decisions.Reason("feedback", "Look again.")]
    decisions.send_back(review=review, token=held.token, by=member.user, reasons=reasons)
    again = Slot.objects.get(item_id=slot.item_id, round=2)
    result.append({"person": member.user.username, "review": review.pk, "slot": again.pk, "item": slot.item_id})
"""


def everybody_sent_back(installation: Installation) -> list[dict[str, object]]:
    """Every reviewer has sent one item back, and its author has not taken it up yet."""
    return installation.python(SEND_BACK)


def import_work(installation: Installation, items: int) -> None:
    """Many items for the project `race`, by file."""
    rows = write_samples(installation.folder / "rows.jsonl", items)
    installation.manage("import_items", "race", rows, "--no-checks")
