"""The decisions of a review. Text comes first: it is saved, or set aside, before anything is refused."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotate.models import Annotation, Item
from annotate.services import adjudicating, reviewing
from annotate.services.errors import NotReady, Refused
from annotate.services.reviewing import Reason
from annotate.services.reviewing.desk import ReviewDesk
from annotate.views.posted import View, token
from annotate.views.review.page import review_page
from annotate.views.review.posted import reasons, words
from annotate.views.review.saving import go_on, kept_first, posted_to_review


def decision(open_form: str = "") -> Callable[[View[ReviewDesk]], Callable[[HttpRequest, str, int], HttpResponse]]:
    """A view that decides: the text is saved first, and everything that can go wrong is answered here.

    open_form: the form that stands open again if the decision is refused.
    """

    def decorated(decide: View[ReviewDesk]) -> Callable[[HttpRequest, str, int], HttpResponse]:
        @kept_first
        def decided(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
            try:
                return decide(request, desk)
            except NotReady as not_ready:
                return review_page(request, desk, status=422, refused=not_ready.findings, open="fix")
            except Refused as refused:
                more = {"said": str(refused), "open": open_form, "reasons": reasons(request) or [Reason("", "")]}
                return review_page(request, desk, status=422, **more)

        @posted_to_review
        @wraps(decide)
        def view(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
            if desk.is_submitted:
                return go_on(desk, "done")  # a double click, or a retry after a lost answer
            return decided(request, desk)

        return view

    return decorated


@decision(open_form="fix")
def accept(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    if desk.adjudicates:
        return _adjudicated(request, desk)
    item = reviewing.accept(review=desk.annotation, token=token(request), by=desk.member.user)
    return _decided(request, desk, item)


@decision(open_form="fix")
def fix(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    if desk.adjudicates:
        return _adjudicated(request, desk)
    note = words(request.POST.get("fix_note", ""))
    item = reviewing.fix_and_accept(review=desk.annotation, token=token(request), by=desk.member.user, note=note)
    return _decided(request, desk, item)


@decision(open_form="return")
def send_back(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason_list = reasons(request)
    field_names = {"", *(field.name for field in desk.kind.fields(desk.facts))}
    if any(reason.field not in field_names for reason in reason_list):
        raise Refused(_("Choose the field that each reason is about."))
    act = adjudicating.send_back if desk.adjudicates else reviewing.send_back
    item = act(review=desk.annotation, token=token(request), by=desk.member.user, reasons=reason_list)
    return _decided(request, desk, item)


@decision(open_form="drop")
def drop(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason, note = request.POST.get("drop_reason", ""), words(request.POST.get("drop_note", ""))
    act = adjudicating.drop if desk.adjudicates else reviewing.drop
    item = act(review=desk.annotation, token=token(request), by=desk.member.user, reason=reason, note=note)
    return _decided(request, desk, item)


def _adjudicated(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    note = words(request.POST.get("fix_note", ""))
    item = adjudicating.accept(review=desk.annotation, token=token(request), by=desk.member.user, note=note)
    return _decided(request, desk, item)


def _decided(request: HttpRequest, desk: ReviewDesk, item: Item) -> HttpResponse:
    if desk.annotation.outcome == Annotation.Outcome.REVISED:  # others have it now, so there is no undo to offer
        text = _("%(item)s: you changed the text, so another person looks at it next.")
        messages.success(request, text % {"item": item.key})
        return go_on(desk)
    message_by_state = {
        Item.State.REVIEWING: _("%(item)s: your decision is in. It is settled when the other review is, too."),
        Item.State.ADJUDICATING: _("%(item)s: your decision is in. The other one differs, so somebody else decides."),
        Item.State.ACCEPTED: _("%(item)s is accepted."),
        Item.State.READY: _("%(item)s went back to its author, round %(round)s."),
        Item.State.DROPPED: _("%(item)s left the dataset. A lead can restore it."),
    }
    messages.success(request, message_by_state[Item.State(item.state)] % {"item": item.key, "round": item.round})
    return go_on(desk, "done")
