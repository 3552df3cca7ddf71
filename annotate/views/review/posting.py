"""What the buttons of the review page post, but for decisions. The text is saved, or set aside, before all else."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotate.models.work import SKIP_REASONS
from annotate.services import queue, work
from annotate.services.errors import LeaseLost, StaleDraft, WrongState
from annotate.services.reviewing import Reason, taking
from annotate.services.reviewing.desk import ReviewDesk
from annotate.services.reviewing.desks import desk_of
from annotate.services.reviewing.taking_back import take_back
from annotate.views.posted import chosen_aside, sign_of_life, token, wants_parts
from annotate.views.review.page import aside_conflict, review_page, review_parts
from annotate.views.review.saving import address_of, conflict, go_on, keep_text, kept_first, posted_to_review

heartbeat = posted_to_review(sign_of_life)
FORMS = {"fixed": "fix", "returned": "return", "dropped": "drop"}  # the outcomes whose decision has words


@posted_to_review
def save(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Keep the text. A script gets the parts that changed, a plain form its page again."""
    try:
        keep_text(request, desk, action=request.POST.get("action", ""))
    except StaleDraft:
        return conflict(request, desk)
    work.keep_lease(desk, token(request))
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
    """Hand the review back; somebody gets it, perhaps the same person."""
    queue.release(desk.slot, token(request))
    messages.success(request, _("Handed back to the queue. What you wrote is kept for you."))
    return redirect("review", desk.project.slug)


@posted_to_review
@kept_first
def skip(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Hand the review back for good; somebody else gets it."""
    reason = request.POST.get("reason", "")
    if reason not in dict(SKIP_REASONS):
        messages.error(request, _("Choose why you skip this item."))
        return redirect(address_of(desk))
    queue.skip(desk.slot, token(request), person=desk.member.user, reason=reason)
    return go_on(desk, "skipped")


@posted_to_review
def undo(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Take back a decision, whose words stand in their form again, or a skip."""
    if desk.is_submitted:
        return _decision_undone(request, desk)
    if not desk.is_held and not taking.back_from_skip(desk.member, desk.slot):
        messages.error(request, _("Somebody else has taken this item meanwhile."))
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
            work.swap(desk.annotation, aside)
        except StaleDraft:
            return review_page(request, desk, status=409, **aside_conflict(desk, aside))
    return redirect(address_of(desk))
