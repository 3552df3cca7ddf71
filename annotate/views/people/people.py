from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotate.models import Member
from annotate.services import inviting
from annotate.services.errors import Refused
from annotate.services.overview.members import member_rows
from annotate.services.people import change_member, remove_member
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page
from annotate.views.people.forms import InvitationForm, MemberForm

INVITATIONS_SHOWN = 50


@login_required
def people(request: HttpRequest, slug: str) -> HttpResponse:
    return _people_page(request, membership(request, slug, LEADS), InvitationForm())


@require_POST
@login_required
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _people_page(request, lead, form, status=422)
    try:
        inviting.invite(project=lead.project, by=person(request), **form.cleaned_data)
    except Refused as refused:
        form.add_error("role", str(refused))
        return _people_page(request, lead, form, status=422)
    messages.success(request, _("The link is made. Copy it below and hand it over; it works once."))
    return redirect(reverse("people", args=[slug]) + "#invitations")


@require_POST
@login_required
def invitation_revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    invitation = get_object_or_404(lead.project.invitations, pk=pk)
    try:
        inviting.revoke(invitation)
    except Refused as refused:
        return render(request, "409.html", {"reason": refused, "again": reverse("people", args=[slug])}, status=409)
    messages.success(request, _("The link no longer works."))
    return redirect("people", slug)


@login_required
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    changed = _member_of(lead, pk)
    form = MemberForm(request.POST or None, instance=changed)
    if request.method == "POST" and form.is_valid():
        try:
            stored = _member_of(lead, pk)  # the form has written into its own copy already
            change_member(stored, by=person(request), role=form.cleaned_data["role"], limits=form.limits())
        except Refused as refused:
            form.add_error("role", str(refused))
        else:
            messages.success(request, _("Saved: %(name)s.") % {"name": changed.user})
            return redirect("people", slug)
    status = 422 if form.errors else 200
    context = {"form": form, "person": changed.user, "changed": changed}
    return project_page(request, lead, "people/member.html", context, tab="people", status=status)


@login_required
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    leaving = _member_of(lead, pk)
    if request.method != "POST":
        return project_page(request, lead, "people/remove.html", {"leaving": leaving}, tab="people")
    try:
        count = remove_member(leaving, by=person(request))
    except Refused as refused:
        context = {"leaving": leaving, "refused": refused}
        return project_page(request, lead, "people/remove.html", context, tab="people", status=422)
    back = ngettext(
        "%(count)d item they held is back in the queue.", "%(count)d items they held are back in the queue.", count
    )
    messages.success(request, _("%(name)s is removed.") % {"name": leaving.user} + " " + back % {"count": count})
    return redirect("home" if leaving.user_id == person(request).pk else reverse("people", args=[slug]))


def _member_of(lead: Member, pk: int) -> Member:
    member = lead.project.members.select_related("user").filter(pk=pk).first()
    if member is None:
        raise Http404
    member.project = lead.project
    return member


def _people_page(request: HttpRequest, lead: Member, form: InvitationForm, *, status: int = 200) -> HttpResponse:
    invitations = inviting.listed(lead.project, most=INVITATIONS_SHOWN)
    context = {"rows": member_rows(lead.project), "invitations": invitations, "form": form}
    return project_page(request, lead, "people/people.html", context, tab="people", status=status)
