from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from annotate.models import Member, Slot
from annotate.models.work import SlotQuerySet
from annotate.services.errors import Refused
from annotate.services.reviewing import lists, taking
from annotate.services.reviewing.desk import OPEN
from annotate.services.reviewing.desks import desk_of
from annotate.views.access import REVIEWERS, membership
from annotate.views.pages import project_page
from annotate.views.review.page import review_page
from annotate.views.work.page import number_asked


@never_cache
@login_required
def queue(request: HttpRequest, slug: str) -> HttpResponse:
    """The list: what waits, what was decided, or both."""
    member = membership(request, slug, REVIEWERS)
    show = request.GET.get("show", "")
    show = show if show in lists.SHOWN else lists.PENDING
    context = {
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
        "show": show,
        "counts": lists.counts(member),
        "listed": lists.page(member, show, request.GET.get("after", "")),
        "in_hand": _in_review(member).held_by(member.user).first(),
    }
    return project_page(request, member, "review/queue.html", context, tab="review")


@login_required
def next_item(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    if request.method != "POST":
        return redirect("review", slug)
    slot = taking.take_next(member)
    if slot:
        return redirect("review_item", slug, slot.pk)
    messages.info(request, taking.why_none(member))
    return redirect("review", slug)


@never_cache
@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One review: in hand, to be taken up, or decided. Looking at it claims nothing."""
    member = membership(request, slug, REVIEWERS)
    desk = desk_of(member, pk)
    if desk is None:
        raise Http404
    if desk.mode == OPEN and taking.is_own_work(desk.slot, member):
        return _refused(request, slug, taking.why_not(desk.slot, member))
    return review_page(request, desk)


@login_required
def take(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Pick a listed item."""
    member = membership(request, slug, REVIEWERS)
    if request.method != "POST":
        return redirect("review_item", slug, pk)
    slot = _in_review(member).filter(pk=pk).first()
    if slot is None:
        raise Http404
    try:
        taking.take(member, slot)
    except Refused as refused:
        return _refused(request, slug, str(refused))
    return redirect("review_item", slug, pk)


def _in_review(member: Member) -> SlotQuerySet:
    """What is decided at the desks of this part."""
    stages = [Slot.Stage.REVIEW, Slot.Stage.ADJUDICATE]
    return Slot.objects.filter(project_id=member.project_id, stage__in=stages)


def _refused(request: HttpRequest, slug: str, reason: str) -> HttpResponse:
    again = reverse("review", args=[slug])
    return render(request, "409.html", {"reason": reason, "again": again}, status=409)
