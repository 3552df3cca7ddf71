"""The page behind Ctrl+K, and the part of it that the dialog shows."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.doors.jump import projects, targets
from annotate.models import Member, User
from annotate.web.access import person

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
