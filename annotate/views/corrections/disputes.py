"""The desk at which objections are answered, by somebody who had no part in the decision."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.models import Dispute, Member
from annotate.services.corrections.disputes import Row, decide, disputes, open_count, rows_of, seen_by
from annotate.services.errors import Refused, WrongState
from annotate.views.access import REVIEWERS, membership, person
from annotate.views.pages import project_page


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        label=gettext_lazy("Who is right?"), choices=Dispute.Decision.choices, widget=forms.RadioSelect
    )
    answer = forms.CharField(
        label=gettext_lazy("Answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The author reads it, and so does whoever decided before."),
    )


@never_cache
@login_required
def dispute_list(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    decided = request.GET.get("show") == "decided"
    before = request.GET.get("before", "")
    page = disputes(member, decided=decided, before=int(before) if before.isdecimal() and len(before) < 18 else None)
    show = "show=decided" if decided else ""
    context = {
        "page": page,
        "decided": decided,
        "waiting": open_count(member),
        "older": f"?{show}&before={page.older}" if page.older else "",
        "newer": f"?{show}" if before else "",
    }
    return project_page(request, member, "corrections/disputes.html", context, tab="review")


@never_cache
@login_required
def dispute_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    return _page(request, member, _found(member, pk), DecisionForm())


@require_POST
@login_required
def dispute_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    dispute, form = _found(member, pk), DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, member, dispute, form, status=422)
    try:
        decide(made=dispute, by=person(request), **form.cleaned_data)
    except (Refused, WrongState) as late:
        again = reverse("dispute", args=[slug, pk])
        return render(request, "409.html", {"reason": str(late), "again": again}, status=409)
    messages.success(request, _("Answered. The item stays as it is until somebody reopens it."))
    return redirect("dispute", slug, pk)


def _found(member: Member, pk: int) -> Dispute:
    """A dispute of this project that this member may know of; else 404."""
    dispute = (
        seen_by(member).select_related("annotation__item", "annotation__author", "decided_by").filter(pk=pk).first()
    )
    if dispute is None:
        raise Http404
    dispute.annotation.item.project = member.project
    return dispute


def _page(
    request: HttpRequest, member: Member, dispute: Dispute, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    row: Row = rows_of([dispute], member)[0]
    context: dict[str, Any] = {"row": row, "one": row.correction, "form": form}
    return project_page(request, member, "corrections/dispute.html", context, tab="review", status=status)
