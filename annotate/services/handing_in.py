"""Handing in from the work page: what was only to be judged and was changed goes to others, all else goes on."""

import uuid

from annotate.models import Annotation, Item, User
from annotate.services import drafts, revising, submitting
from annotate.services.readiness.places import is_own_place


def hand_in(*, annotation: Annotation, token: uuid.UUID, by: User, item: Item) -> Item:
    """Submit the draft, or begin another round with it where the kind says that the validated text was changed.

    item: with its project. Raises NotReady, LeaseLost, WrongState; nothing has changed then.
    """
    assert annotation.slot is not None
    revised = item.project.kind.revised(drafts.start_of(annotation, item), annotation.draft)
    if revised and not is_own_place(annotation.slot):
        return revising.revise(annotation=annotation, token=token, by=by)
    return submitting.submit(annotation=annotation, token=token, by=by, item=item, revised=revised)
