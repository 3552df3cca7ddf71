from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotate.models import Member, Notification, User
from annotate.views.access import LEADS, person

PAGE = 50
QUESTIONS = (Notification.Verb.ASKED, Notification.Verb.RULED)
TO_DO = (Notification.Verb.RETURNED, Notification.Verb.ASSIGNED)
ABOUT_PEOPLE = (Notification.Verb.PAUSED, Notification.Verb.RESUMED, Notification.Verb.CALIBRATE)


@login_required
def inbox(request: HttpRequest) -> HttpResponse:
    """What happened to one's items, newest first; ?before=<id> goes back in time."""
    before = request.GET.get("before", "")
    notifications = Notification.objects.filter(user=person(request)).select_related("project", "item", "actor")
    if before.isdecimal() and len(before) < 16:
        notifications = notifications.filter(pk__lt=int(before))
    rows = list(notifications.defer("item__facts")[: PAGE + 1])
    lines, roles = rows[:PAGE], _roles(person(request))
    context = {
        "lines": [(line, _address(line, roles)) for line in lines],
        "older": f"?before={lines[-1].pk}" if len(rows) > PAGE else "",
        "newer": reverse("inbox") if before else "",
        "unread": any(line.read_at is None for line in lines),
    }
    return render(request, "inbox.html", context)


@require_POST
@login_required
def inbox_read(request: HttpRequest) -> HttpResponse:
    """Mark one line as read (and go where it leads), or all of them."""
    unread = Notification.objects.filter(user=person(request), read_at=None)
    line_id = request.POST.get("one", "")
    if not line_id.isdecimal() or len(line_id) > 18:
        unread.update(read_at=timezone.now())
        return redirect("inbox")
    line = Notification.objects.filter(user=person(request), pk=int(line_id)).select_related("project", "item").first()
    unread.filter(pk=int(line_id)).update(read_at=timezone.now())
    address = _address(line, _roles(person(request))) if line else ""
    return redirect(address or "inbox")


def _roles(user: User) -> dict[int, Member]:
    return {member.project_id: member for member in Member.objects.of(user)}


def _address(line: Notification, roles: dict[int, Member]) -> str:
    """Where a line leads; nowhere for somebody who has left the project."""
    member, slug = roles.get(line.project_id), line.project.slug
    if member is None:
        return ""
    if line.verb in TO_DO and member.annotates:
        return reverse("work", args=[slug])
    if line.verb == Notification.Verb.DISPUTED and member.reviews:
        return reverse("disputes", args=[slug])
    if line.verb == Notification.Verb.DECIDED and member.annotates:
        return reverse("my_corrections", args=[slug])
    if line.verb in ABOUT_PEOPLE:
        return reverse("readiness" if member.leads else "work", args=[slug])
    if line.run_id is not None and member.role in LEADS:
        return reverse("run", args=[slug, line.run_id])
    if line.verb in QUESTIONS:
        query = f"show=all&item={line.item_id}" if line.item_id else "show=all"
        return f"{reverse('precedents', args=[slug])}?{query}"
    if line.item_id is not None:
        return reverse("item", args=[slug, line.item_id])
    return reverse("overview", args=[slug])
