"""What becomes of an answer to a check: its item stays where it is, and the person is reckoned with."""

from annotate.models import Annotation, Item, Member, User
from annotate.services import flow
from annotate.services.readiness import calibration, checks


def take(item: Item, annotation: Annotation, *, by: User) -> None:
    """Inside the transaction of the submission. item: with its project, locked."""
    flow.record(item, "submitted", by=by, annotation=annotation)
    member = Member.objects.select_related("project__readiness", "user").filter(project=item.project, user=by).first()
    if member is None:  # they have left the project meanwhile
        return
    if item.purpose == Item.Purpose.CALIBRATION:
        calibration.handed_in(member)
    elif item.purpose != Item.Purpose.WORK:
        checks.handed_in(member)
