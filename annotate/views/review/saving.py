"""What every button of the review page begins with: finding the text, keeping it, and saying what went wrong."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotate.services import drafts, fields, work
from annotate.services.errors import WrongState
from annotate.services.reviewing import taking
from annotate.services.reviewing.desk import ReviewDesk, item_text
from annotate.services.reviewing.desks import desk_of
from annotate.views.access import REVIEWERS, membership
from annotate.views.posted import View, number, text_first, wants_parts
from annotate.views.review.page import aside_conflict, conflict_of, review_page, review_parts
from annotate.views.review.posted import posted


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
    draft = posted(request, desk)
    decided = desk.decided_after(draft)
    if action:
        draft, decided = desk.act(draft, decided, action) or _acted(desk, draft, decided, action)
    revision, seconds = number(request, "revision"), number(request, "seconds")
    drafts.save(desk.annotation, draft, revision=revision, decided=decided, seconds=seconds)


def _acted(
    desk: ReviewDesk, draft: dict[str, Any], decided: list[str], action: str
) -> tuple[dict[str, Any], list[str]]:
    return fields.act(desk.kind, desk.facts, draft, decided, action=action, suggested=desk.about.draft)


def go_on(desk: ReviewDesk, action: str = "") -> HttpResponse:
    """On to the next review, which is claimed here so that its page is a plain GET.

    action: done or skipped, which the next page offers to undo; nothing where it cannot be undone.
    """
    slot = taking.take_next(desk.member)
    slug = desk.project.slug
    address = reverse("review_item", args=[slug, slot.pk]) if slot else reverse("review", args=[slug])
    return redirect(f"{address}?{action}={desk.slot.pk}" if action else address)


def address_of(desk: ReviewDesk) -> str:
    return reverse("review_item", args=[desk.project.slug, desk.slot.pk])


# --- what went wrong --------------------------------------------------------------------------------------------------
def conflict(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """Another window was faster: nothing is overwritten, this window's text is set aside, both are shown."""
    aside = work.set_aside(desk.annotation, posted(request, desk))
    answer = review_parts if wants_parts(request) else review_page
    return answer(request, desk, status=409, **aside_conflict(desk, aside))


def lost(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    """The review is no longer this person's, or the item moved on; their text was saved before this was found out."""
    again = desk_of(desk.member, desk.slot.pk)
    assert again is not None
    differing = conflict_of(again, desk.draft, item_text(again.item))
    return review_page(request, again, status=409, lost=True, conflict=differing)


kept_first = text_first(keep_text, conflict=conflict, lost=lost)


def _never_had(request: HttpRequest, desk: ReviewDesk) -> HttpResponse:
    reason = taking.why_not(desk.slot, desk.member)
    context = {"reason": reason, "again": reverse("review", args=[desk.project.slug])}
    return render(request, "409.html", context, status=409)
