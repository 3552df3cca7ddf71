"""The page behind Ctrl+K, with the part of it that the dialog shows, and the tour."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.doors.jump import projects, targets
from annotate.doors.tour import ENDED, Tour
from annotate.models import Member, User
from annotate.web.access import membership, person, project_page

IN_MENU = 12  # projects; the others stand on the page of all projects


@require_safe
@never_cache
@login_required
def jump(request: HttpRequest) -> HttpResponse:
    """?q= what to look for; ?from= the project in which the person is. A project that is not theirs counts as none."""
    user, text = person(request), request.GET.get("q", "")
    if request.htmx and request.GET.get("part") == "projects":  # type: ignore[attr-defined]  # set by django-htmx
        return render(request, "jump/_projects.html", {"projects": projects(user)[:IN_MENU]})
    member = _member(user, request.GET.get("from", ""))
    context = {"groups": targets(user, member, text), "q": text, "from": member.project.slug if member else ""}
    template = "jump/_found.html" if request.htmx else "jump/jump.html"  # type: ignore[attr-defined]  # django-htmx
    return render(request, template, context)


def _member(user: User, slug: str) -> Member | None:
    return (
        Member.objects.of(user).filter(project__slug=slug).select_related("project", "user").first() if slug else None
    )


@login_required
def tour(request: HttpRequest, slug: str) -> HttpResponse:
    """All steps of the tour for this person's role. A POST shows the step `to` on its page, or ends the tour: 0."""
    member = membership(request, slug)
    taken = Tour(member)
    if request.method != "POST":
        return project_page(request, member, "tour/tour.html", {"taken": taken}, tab="")
    to = request.POST.get("to", "")
    taken.go(int(to) if to.isascii() and to.isdecimal() and len(to) < 3 else ENDED)
    if taken.number:
        return redirect(f"{taken.path}#tour")
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx
        return HttpResponse()
    return redirect(_back(request) or taken.path)


def _back(request: HttpRequest) -> str:
    """The path of the page on which the tour was ended; "" where it is not one of ours."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if safe and target.startswith("/") else ""
