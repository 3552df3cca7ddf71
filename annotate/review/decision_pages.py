"""Views behind the buttons of the review page, and the readers of its posted forms, which never fail on bad input.

The posted text is saved, or set aside, before anything is refused.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotate.errors import LeaseLost, NotReady, Refused, StaleDraft, WrongState
from annotate.items import drafts, leases
from annotate.items.compare import changed_fields, ordered_as
from annotate.items.pins import read_pin
from annotate.models import Annotation, Item
from annotate.models.work import SKIP_REASONS
from annotate.review import adjudication, claim, decisions
from annotate.review.decisions import Reason
from annotate.review.desks import ReviewDesk, desk_of, item_text
from annotate.review.pages import aside_conflict, conflict_of, review_page, review_parts
from annotate.review.take_back import take_back
from annotate.templatetags.ui import IN_TOAST
from annotate.web.access import REVIEWERS, membership
from annotate.work import desk as work_desk
from annotate.work import field_states
from annotate.work.post_pages import View, chosen_aside, number, sign_of_life, text_first, token, wants_parts

LONGEST = 4000


def posted_review(request: HttpRequest, desk: ReviewDesk) -> dict[str, Any]:
    fields_of_kind = desk.kind.fields(desk.facts)
    return ordered_as(fields_of_kind, desk.kind.read_form(request.POST, desk.facts), desk.about.draft)


def reasons(request: HttpRequest, desk: ReviewDesk) -> list[Reason]:
    """The filled rows of the send-back form; rows without text are left out. Raises Refused for an unknown field."""
    rows = zip(request.POST.getlist("reason_field"), request.POST.getlist("reason_text"), strict=False)
    pins = [(read_pin(name, desk.kind, desk.facts), text) for name, text in rows if text.strip()]
    return [Reason(pin.field, words(text), pin.span) for pin, text in pins]


def _typed_reasons(request: HttpRequest, desk: ReviewDesk) -> list[Reason]:
    """For the form that is shown again; rows about unknown fields come back without a field."""
    try:
        return reasons(request, desk) or [Reason("", "")]
    except Refused:
        return [Reason("", words(text)) for text in request.POST.getlist("reason_text")]


def words(text: str) -> str:
    return str(drafts.without_nul(text)).replace("\r\n", "\n").strip()[:LONGEST]


# The start of every button's view: find the text, save it, and report what went wrong.


def posted_to_review(view: View[ReviewDesk]) -> Callable[[HttpRequest, str, int], HttpResponse]:
    """Finds the reviewer's own text. A GET, such as after signing in again, leads back to its page."""

    @login_required
    @wraps(view)
    def found(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
        member = membership(request, slug, REVIEWERS)
        if request.method != "POST":
            return redirect("review_item", slug, pk)
        desk = desk_of(member, pk)
        if desk is None:
            raise Http404
        if desk.annotation._state.adding or desk.annotation.author_id != member.user_id:
            return _never_had(request, desk)
        try:
            return view(request, desk)
        except WrongState:  # its reporter has withdrawn it: nothing of it is kept
            return lost(request, desk)

    return found


def keep_text(request: HttpRequest, desk: ReviewDesk, action: str = "") -> None:
    """Store the posted text. Raises StaleDraft."""
    draft = posted_review(request, desk)
    decided = desk.decided_after(draft)
    if action:
        draft, decided = desk.act(draft, decided, action) or _acted(desk, draft, decided, action)
    revision, seconds = number(request, "revision"), number(request, "seconds")
    drafts.save(desk.annotation, draft, revision=revision, decided=decided, seconds=seconds)


def _acted(
    desk: ReviewDesk, draft: dict[str, Any], decided: list[str], action: str
) -> tuple[dict[str, Any], list[str]]:
    return field_states.act(desk.kind, desk.facts, draft, decided, action=action, suggested=desk.about.draft)


def go_on(desk: ReviewDesk, action: str = "") -> HttpResponse:
    """Redirect to the next review, which is claimed here so that its page is a plain GET.

    action: done or skipped, which the next page offers to undo; nothing where it cannot be undone.
    """
    slot = claim.take_next(desk.member)
    slug = desk.project.slug
    address = reverse("review_item", args=[slug, slot.pk]) if slot else reverse("review", args=[slug])
    return redirect(f"{address}?{action}={desk.slot.pk}" if action else address)


def address_of(desk: ReviewDesk) -> str:
    return reverse("review_item", args=[desk.project.slug, desk.slot.pk])


# --- what went wrong --------------------------------------------------------------------------------------------------
def conflict(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Another window saved first: nothing is overwritten, this window's text is set aside, and both are shown."""
    aside = work_desk.set_aside(desk.annotation, posted_review(request, desk))
    answer = review_parts if wants_parts(request) else review_page
    return answer(request, desk, status=409, **aside_conflict(desk, aside))


def lost(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """The review is no longer this person's, or the item moved on; their text was saved before this was detected."""
    again = desk_of(desk.member, desk.slot.pk)
    assert again is not None
    differing = conflict_of(again, desk.draft, item_text(again.item))
    return review_page(request, again, status=409, lost=True, conflict=differing)


kept_first = text_first(keep_text, conflict=conflict, lost=lost)


def _never_had(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Somebody else has the review, or has decided; a text begun before that is kept under My drafts."""
    own_text = Annotation.objects.filter(slot=desk.slot, author=desk.member.user).first()
    if own_text is not None:
        with suppress(WrongState):  # its reporter has withdrawn it: nothing of it is kept
            work_desk.set_aside(own_text, posted_review(request, desk))
    reason = claim.why_not(desk.slot, desk.member)
    context = {"reason": reason, "again": reverse("review", args=[desk.project.slug])}
    return render(request, "409.html", context, status=409)


# The buttons other than decisions.


heartbeat = posted_to_review(sign_of_life)
FORMS = {"fixed": "fix", "returned": "return", "dropped": "drop"}  # the outcomes whose decision has a text


@posted_to_review
def save(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Keep the text. A script gets the parts that changed, a plain form its page again."""
    try:
        keep_text(request, desk, action=request.POST.get("action", ""))
    except StaleDraft:
        return conflict(request, desk)
    work_desk.keep_lease(desk, token(request, desk))
    if wants_parts(request):
        return review_parts(request, desk)
    return redirect(f"{address_of(desk)}?{_where_to(request)}")


def _where_to(request: HttpRequest) -> str:
    """Without a script, the buttons that open a form save first and then lead to it."""
    if request.POST.get("open") in ("return", "drop"):
        return urlencode({"open": request.POST["open"]})
    if request.POST.get("field"):
        return urlencode({"open": "return", "field": request.POST["field"]})
    return "open=fix#fix"


@posted_to_review
@kept_first
def release(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Return the review to the queue; anybody may get it next, also the same person."""
    leases.release(desk.slot, token(request, desk))
    messages.success(request, _("Put back into the queue. What you wrote is kept for you."))
    return redirect("review", desk.project.slug)


@posted_to_review
@kept_first
def skip(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Return the review to the queue for good; another person gets it."""
    reason = request.POST.get("reason", "")
    if reason not in dict(SKIP_REASONS):
        messages.error(request, _("Choose why you skip this item."))
        return redirect(address_of(desk))
    leases.skip(desk.slot, token(request, desk), person=desk.member.user, reason=reason)
    return go_on(desk, "skipped")


@posted_to_review
def undo(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Take back a decision, whose text is put back into its form, or a skip."""
    if desk.is_submitted:
        return _decision_undone(request, desk)
    if not desk.is_held and not claim.back_from_skip(desk.member, desk.slot):
        messages.error(request, _("Someone else has taken this item in the meantime."))
        return redirect("review", desk.project.slug)
    return redirect(address_of(desk))


def _decision_undone(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    try:
        decision = take_back(review=desk.annotation, by=desk.member.user)
    except (WrongState, LeaseLost) as late:
        messages.error(request, str(late))
        return redirect(address_of(desk))
    again = desk_of(desk.member, desk.slot.pk)
    assert again is not None
    form = FORMS.get(decision.outcome, "")
    words: dict[str, Any] = {"reasons": decision.reasons or [Reason("", "")], "drop_reason": decision.drop_reason}
    return review_page(request, again, open=form, **words | {f"{form}_note": decision.note})


@posted_to_review
def resolve(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Choose between the texts of two windows; the other one stays under My drafts."""
    if aside := chosen_aside(request, desk.annotation):
        try:
            work_desk.swap(desk.annotation, aside)
        except StaleDraft:
            return review_page(request, desk, status=409, **aside_conflict(desk, aside))
    return redirect(address_of(desk))


# The decisions.


def decision(open_form: str = "") -> Callable[[View[ReviewDesk]], Callable[[HttpRequest, str, int], HttpResponse]]:
    """A decorator for views that decide: it saves the text first and responds to everything that can go wrong.

    open_form: the form that is shown open again if the decision is refused.
    """

    def decorated(decide: View[ReviewDesk]) -> Callable[[HttpRequest, str, int], HttpResponse]:
        @kept_first
        def decided(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
            try:
                return decide(request, desk)
            except NotReady as not_ready:
                return review_page(request, desk, status=422, refused=not_ready.findings, open="fix")
            except Refused as refused:
                more = {"said": str(refused), "open": open_form, "reasons": _typed_reasons(request, desk)}
                return review_page(request, desk, status=422, **more)

        @posted_to_review
        @wraps(decide)
        def view(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
            if desk.is_submitted and _is_the_same(request, desk):
                return go_on(desk, "done")  # a double click, or a retry after a lost answer
            return decided(request, desk)

        return view

    return decorated


def _is_the_same(request: HttpRequest, desk: ReviewDesk) -> bool:
    """Whether the posted text is the submitted one. Another one, as of a second window, is set aside."""
    return not changed_fields(desk.kind.fields(desk.facts), desk.draft, posted_review(request, desk))


@decision(open_form="fix")
def accept(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    if desk.adjudicates:
        return _adjudicated(request, desk)
    item = decisions.accept(review=desk.annotation, token=token(request, desk), by=desk.member.user)
    return _decided(request, desk, item)


@decision(open_form="fix")
def fix(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    if desk.adjudicates:
        return _adjudicated(request, desk)
    note = words(request.POST.get("fix_note", ""))
    item = decisions.fix_and_accept(review=desk.annotation, token=token(request, desk), by=desk.member.user, note=note)
    return _decided(request, desk, item)


@decision(open_form="return")
def send_back(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason_list = reasons(request, desk)
    act = adjudication.send_back if desk.adjudicates else decisions.send_back
    item = act(review=desk.annotation, token=token(request, desk), by=desk.member.user, reasons=reason_list)
    return _decided(request, desk, item)


@decision(open_form="drop")
def drop(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason, note = request.POST.get("drop_reason", ""), words(request.POST.get("drop_note", ""))
    act = adjudication.drop if desk.adjudicates else decisions.drop
    item = act(review=desk.annotation, token=token(request, desk), by=desk.member.user, reason=reason, note=note)
    return _decided(request, desk, item)


def _adjudicated(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    note = words(request.POST.get("fix_note", ""))
    item = adjudication.accept(review=desk.annotation, token=token(request, desk), by=desk.member.user, note=note)
    return _decided(request, desk, item)


def _decided(request: HttpRequest, desk: ReviewDesk, item: Item) -> HttpResponse:
    if desk.annotation.outcome == Annotation.Outcome.REVISED:  # others have it now, so there is no undo to offer
        text = _("%(item)s: you changed the text, so another person reviews it next.")
        messages.success(request, text % {"item": item.key})
        return go_on(desk)
    message_by_state = {
        Item.State.REVIEWING: _("%(item)s: decision submitted. It is final when the other review is in, too."),
        Item.State.ADJUDICATING: _("%(item)s: decision submitted. The other one differs, so someone else decides."),
        Item.State.ACCEPTED: _("%(item)s accepted."),
        Item.State.READY: _("%(item)s returned to its author, round %(round)s."),
        Item.State.DROPPED: _("%(item)s dropped. A lead can restore it."),
    }
    text = message_by_state[Item.State(item.state)] % {"item": item.key, "round": item.round}
    messages.success(request, text, extra_tags=IN_TOAST)  # beside the button that undoes it
    return go_on(desk, "done")
