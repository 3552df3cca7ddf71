"""The drawn sample of a batch on one page: each row with its text and what its review decided, and deciding row by row.

Deciding a row is an ordinary review: it is taken up, decided and can be undone like one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.errors import LeaseLost, NotReady, Refused, WrongState
from annotate.items import leases
from annotate.kinds.contract import Kind
from annotate.models import Annotation, Item, Member, Sample, Sampled, Slot
from annotate.models.work import SlotQuerySet
from annotate.quality.acceptance_sampling import result_of
from annotate.review import claim, decisions
from annotate.review.decision_pages import words
from annotate.review.decisions import Reason
from annotate.templatetags.ui import IN_TOAST
from annotate.web.access import REVIEWERS, membership, project_page
from annotate.web.pager import numbered_page
from annotate.work.pages import number_asked
from annotate.work.post_pages import number

ROWS = 50
NOT_DECIDED = (Refused, WrongState, LeaseLost, NotReady)


@dataclass(frozen=True)
class SampleRow:
    """A drawn item. slot: its review; None if the item left it otherwise, such as by a drop. decision: what the review
    decided, if it has. texts: (label, value) of the text that is reviewed, without empty fields.
    """

    item: Item
    slot: Slot | None
    decision: Annotation | None
    texts: Sequence[tuple[object, str]]
    can_decide: bool

    @property
    def is_gone(self) -> bool:
        return self.decision is None and (self.slot is None or self.slot.state == Slot.State.VOID)


@never_cache
@login_required
def sample(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    return _page(request, member, _sample_of(member, pk), done=number_asked(request, "done"))


@require_POST
@login_required
def sample_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Accept or return one row. What goes wrong is said on the page, with the words that were written."""
    member = membership(request, slug, REVIEWERS)
    drawn = _sample_of(member, pk)
    note = words(request.POST.get("note", ""))
    slot = _reviews_of(drawn).filter(pk=number(request, "slot")).first()
    if slot is None:
        return _page(request, member, drawn, status=422, refused=_("Choose a row of this sample."))
    try:
        item = decide(slot, member, accepts=request.POST.get("verb") == "accept", note=note)
    except NOT_DECIDED as problem:
        status = 422 if isinstance(problem, Refused | NotReady) else 409
        return _page(request, member, drawn, status=status, refused=_why(problem), refused_at=slot.pk, note=note)
    text = _("%(item)s accepted.") if item.state == Item.State.ACCEPTED else _("%(item)s: decided.")
    if item.state == Item.State.READY:
        text = _("%(item)s returned to its author, round %(round)s.")
    text %= {"item": item.key, "round": item.round}
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return _page(request, member, drawn, done=slot.pk, said=text)
    messages.success(request, text, extra_tags=IN_TOAST)
    return redirect(f"{reverse('sample', args=[slug, pk])}?done={slot.pk}")


def decide(slot: Slot, member: Member, *, accepts: bool, note: str) -> Item:
    """Take up this review and decide it: accept the text as it is, or return it with this note.

    Raises Refused, NotReady, WrongState or LeaseLost; a review that was taken up for it is then free again.
    """
    reasons = [] if accepts else decisions.nonempty_reasons([Reason("", note)])
    was_held = Slot.objects.held_by(member.user).filter(pk=slot.pk).exists()
    held = _taken(member, slot)
    review = Annotation.objects.select_related("slot").get(slot=held, author=member.user)
    assert held.token is not None
    try:
        if accepts:
            return decisions.accept(review=review, token=held.token, by=member.user)
        return decisions.send_back(review=review, token=held.token, by=member.user, reasons=reasons)
    except (Refused, NotReady, WrongState):
        if not was_held:
            leases.release(held, held.token)
        raise


def _taken(member: Member, slot: Slot) -> Slot:
    try:
        return claim.take(member, slot)
    except Refused as late:
        raise WrongState(str(late)) from late


def _why(problem: Exception) -> str:
    if isinstance(problem, LeaseLost):
        return _("Someone else has this review now. Nothing was decided; your words are still here.")
    if isinstance(problem, NotReady):
        return _("This text does not pass the checks: open the review and fix it. %(why)s") % {"why": problem}
    return str(problem)


def _sample_of(member: Member, pk: int) -> Sample:
    return get_object_or_404(Sample.objects.select_related("created_by"), pk=pk, project_id=member.project_id)


def _page(request: HttpRequest, member: Member, drawn: Sample, *, status: int = 200, **more: Any) -> HttpResponse:
    """The whole page, or its changing part alone for htmx. more: done and said of a decision, or what was refused."""
    page = numbered_page(request, drawn.batch.filter(drawn=True).select_related("item").order_by("item"), ROWS)
    context = {
        "project": member.project,
        "membership": member,
        "sample": drawn,
        "result": result_of(drawn),
        "page": page,
        "rows": rows_of(drawn, list(page), member),
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        return render(request, "sampling/_sample.html", context | more, status=status)
    tab = "samples" if member.leads else "review"
    return project_page(request, member, "sampling/sample.html", context | more, tab=tab, status=status)


def rows_of(drawn: Sample, sampled_rows: Sequence[Sampled], member: Member) -> list[SampleRow]:
    """The rows of these drawn items, in three queries however many there are."""
    items = [row.item_id for row in sampled_rows]
    slots: dict[tuple[int, int | None], Slot] = {
        (slot.item_id, slot.round): slot for slot in _reviews_of(drawn).filter(item__in=items)
    }
    ids = [slot.pk for slot in slots.values()]
    shown = Annotation.objects.shown_to(member.user)
    submitted = shown.filter(slot__in=ids, submitted_at__isnull=False).select_related("author")
    decided = {decision.slot_id: decision for decision in submitted}
    free = Q(state=Slot.State.OPEN) | Q(holder=member.user)
    own = set(claim.pending(member).filter(free, pk__in=ids).values_list("pk", flat=True))
    return [
        _row(row.item, slots.get((row.item_id, row.round)), decided, own, member.project.kind) for row in sampled_rows
    ]


def _row(item: Item, slot: Slot | None, decided: dict[int | None, Annotation], own: set[int], kind: Kind) -> SampleRow:
    draft = slot.about.draft if slot and slot.about else {}
    texts = [(field.label, kind.shown(field.name, draft.get(field.name))) for field in _fields(kind, item)]
    return SampleRow(
        item=item,
        slot=slot,
        decision=decided.get(slot.pk) if slot else None,
        texts=[(label, text) for label, text in texts if text],
        can_decide=slot is not None and slot.pk in own,
    )


def _fields(kind: Kind, item: Item) -> Sequence[Any]:
    return kind.fields(kind.read_facts(item.facts))


def _reviews_of(drawn: Sample) -> SlotQuerySet:
    """The reviews of the drawn items, in the rounds for which they were drawn."""
    rows = drawn.batch.filter(drawn=True, item=OuterRef("item"), round=OuterRef("round"))
    slots = Slot.objects.filter(Exists(rows), project_id=drawn.project_id, stage=Slot.Stage.REVIEW)
    return slots.select_related("holder", "about__author")
