"""Approval of many proposals at once, as they stand: of one set or of all, in parts short enough for a request."""

from collections import Counter
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models import Annotation, Item, Project, Slot, User
from annotate.purposes.bridge import proposals
from annotate.services import flow, slots
from annotate.services.errors import NotReady, WrongState
from annotate.services.submitting import checked
from judging.services.bridging.lists import proposed

AT_ONCE = 200  # items in one part
TOGETHER = 50  # items in one transaction: others must be able to write in between
DOUBTFUL, HELD, INCOMPLETE, RACED = "doubtful", "held", "incomplete", "raced"
WHY = {
    DOUBTFUL: _("with something to look at in the proposal"),
    HELD: _("somebody is working on it"),
    INCOMPLETE: _("the proposal is incomplete"),
    RACED: _("changed by somebody else meanwhile"),
}


class NotApproved(Exception):
    """This proposal needs a person; `why` is one of WHY."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(str(WHY[why]))


@dataclass
class Approved:
    """What became of a part. after: the id of the last item seen; finished where nothing lies behind it."""

    done: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    after: int = 0
    finished: bool = True

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """(code, words, items), the most frequent first."""
        return [(why, str(WHY[why]), count) for why, count in self.left_out.most_common()]


def approve_part(
    *, project: Project, by: User, judge: str = "", style: str = "", after: int = 0, most: int | None = None
) -> Approved:
    """Accept the next proposals behind the item `after`, unchanged and in the name of `by`.

    judge, style: as in the list of the workshop. most: at most so many are approved. A proposal about which the reader
    had a doubt, one that somebody is working on and an incomplete one are left out and counted. Where the project
    reviews what people write, this approval is the decision: there is no text of a person to review.
    """
    pending_items = proposed(project, judge=judge, style=style).filter(pk__gt=after).order_by("pk")
    keys = list(pending_items.values_list("pk", flat=True)[: AT_ONCE + 1])
    outcome = Approved(after=after, finished=len(keys) <= AT_ONCE)
    keys = keys[:AT_ONCE]
    for start in range(0, len(keys), TOGETHER):
        with transaction.atomic():
            for key in keys[start : start + TOGETHER]:
                if outcome.done == most:
                    outcome.finished = True
                    return outcome
                _count(key, project, by, outcome)
    return outcome


def approve_all(*, project: Project, by: User, judge: str = "", style: str = "", most: int | None = None) -> Approved:
    """Part after part until none is left."""
    whole = Approved()
    while True:
        remaining_count = None if most is None else most - whole.done
        part = approve_part(project=project, by=by, judge=judge, style=style, after=whole.after, most=remaining_count)
        whole.done += part.done
        whole.left_out += part.left_out
        whole.after = part.after
        if part.finished:
            return whole


def _count(key: int, project: Project, by: User, outcome: Approved) -> None:
    outcome.after = key
    try:
        with transaction.atomic():
            _approve(key, project, by)
    except NotApproved as refusal:
        outcome.left_out[refusal.why] += 1
    except WrongState:
        outcome.left_out[RACED] += 1
    else:
        outcome.done += 1


def _approve(key: int, project: Project, by: User) -> None:
    """Raises NotApproved, WrongState."""
    flow.lock(key)
    item = Item.objects.get(pk=key)
    item.project = project
    proposal = proposals().filter(item=key).latest("pk")
    if proposal.doubts:
        raise NotApproved(DOUBTFUL)
    if Slot.objects.held().filter(item=key).exists():
        raise NotApproved(HELD)
    kind = project.kind
    try:
        draft = kind.upgrade(proposal.draft, proposal.schema)
        facts = kind.upgrade(item.facts, item.schema)
        draft = checked(kind, facts, draft, project.kind_options)
    except NotReady as incomplete:
        raise NotApproved(INCOMPLETE) from incomplete
    if item.state == Item.State.IMPORTED:
        flow.move(item, "ready", by=by)
    slots.close(item)
    now = timezone.now()
    text = Annotation.objects.create(
        item=item,
        author=by,
        draft=draft,
        schema=kind.schema,
        suggestion=proposal,
        unchanged=True,
        outcome=Annotation.Outcome.ACCEPTED,
        saved_at=now,
        submitted_at=now,
    )
    flow.move(item, "accepted", by=by, base=text, annotation=text)
