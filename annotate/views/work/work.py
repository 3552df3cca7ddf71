from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache

from annotate.models import Member, Slot
from annotate.services import progress
from annotate.services.readiness import asking, calibration
from annotate.services.work import desk, last_submitted, open_next
from annotate.views.access import WORKERS, membership
from annotate.views.pages import project_page
from annotate.views.work.page import number_asked, work_page


@never_cache
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Leads on to the item in hand; without one, says what waits or why nothing does."""
    member = membership(request, slug, WORKERS)
    held = Slot.objects.held_by(member.user).filter(project=member.project, stage=Slot.Stage.ANNOTATE)
    slot = held.filter(annotations__author=member.user).order_by("id").first()
    if slot:
        return redirect("work_item", slug, slot.pk)
    context = {
        "nothing": None if held.exists() else progress.why_empty(member),
        "progress": progress.progress(member, fresh=True),
        "calibration": _calibration(member),
        "now": timezone.now(),
        "done": number_asked(request, "done"),
        "skipped": number_asked(request, "skipped"),
    }
    return project_page(request, member, "work/start.html", context, tab="work")


def _calibration(member: Member) -> dict[str, object] | None:
    """Where somebody is before the queue opens; None for everybody else."""
    if not asking.must_calibrate(member):
        return None
    standing = calibration.standing(member)
    return {"standing": standing, "asked": asking.asked_by(member.project), "has_items": calibration.has_items(member)}


@login_required
def next_item(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, WORKERS)
    slot = open_next(member) if request.method == "POST" else None
    return redirect("work_item", slug, slot.pk) if slot else redirect("work", slug)


@never_cache
@login_required
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An item of one's own: in hand, handed in, or no longer held."""
    own_desk = desk(membership(request, slug, WORKERS), pk)
    if own_desk is None:
        raise Http404
    return work_page(request, own_desk)


@login_required
def before(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What one handed in before this item; the drafts, where there is nothing."""
    member = membership(request, slug, WORKERS)
    own_desk = desk(member, pk)
    earlier = last_submitted(member, before=own_desk.annotation if own_desk else None)
    return redirect("work_item", slug, earlier.slot_id) if earlier else redirect("my_drafts", slug)
