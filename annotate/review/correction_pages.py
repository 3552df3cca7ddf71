"""Pages of one's own corrections and of the disputes about them."""

from typing import Any
from urllib.parse import urlencode

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

from annotate.errors import Refused, WrongState
from annotate.models import Dispute, Member
from annotate.review.corrections import Became, corrections, counts, texts_of
from annotate.review.disputes import DisputeRow, decide, dispute, disputes, open_count, rows_of, seen_by
from annotate.web.access import REVIEWERS, WORKERS, membership, person, project_page
from annotate.web.pager import row_named

LARGEST = 2**63 - 1


class CorrectionFilterForm(forms.Form):
    became = forms.ChoiceField(
        label=gettext_lazy("Outcome"),
        required=False,
        choices=[("", gettext_lazy("all")), *Became.choices],
        widget=forms.Select(attrs={"class": "select"}),
    )
    disputed = forms.ChoiceField(
        label=gettext_lazy("Disputes"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("open", gettext_lazy("disputed, not decided yet")),
            ("decided", gettext_lazy("disputed and decided")),
        ],
        widget=forms.Select(attrs={"class": "select"}),
    )
    before = forms.IntegerField(required=False, min_value=1, max_value=LARGEST, widget=forms.HiddenInput)

    def address(self, **more: Any) -> str:
        """The filters in an address, with more in it."""
        parameters = {name: self.cleaned_data[name] for name in ("became", "disputed")} | more
        return "?" + urlencode({name: value for name, value in parameters.items() if value})


@never_cache
@login_required
def my_corrections(request: HttpRequest, slug: str) -> HttpResponse:
    return _corrections_page(request, membership(request, slug, WORKERS))


@require_POST
@login_required
def correction_dispute(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Dispute the outcome of a text of one's own; another person's text answers 404."""
    member = membership(request, slug, WORKERS)
    text = texts_of(member.project, person(request)).select_related("item__project").filter(pk=pk).first()
    if text is None:
        raise Http404
    reason = request.POST.get("reason", "")[:2000]
    try:
        dispute(text=text, by=person(request), reason=reason)
    except Refused as refused:
        return _corrections_page(request, member, status=422, refused=str(refused), refused_at=pk, typed=reason)
    messages.success(
        request, _("Dispute sent. Someone who had no part in the decision reviews it, and you will be notified.")
    )
    return redirect("my_corrections", slug)


def _corrections_page(request: HttpRequest, member: Member, *, status: int = 200, **more: Any) -> HttpResponse:
    form = CorrectionFilterForm(request.GET)
    if not form.is_valid():
        form, status = CorrectionFilterForm({}), 422
        form.is_valid()
    page = corrections(member, **form.cleaned_data)
    context = {
        "form": form,
        "page": page,
        "counts": [(outcome.value, outcome.label, n) for outcome, n in _ordered(counts(member))],
        "older": form.address(before=page.older) if page.older else "",
        "newer": form.address() if form.cleaned_data["before"] else "",
    }
    return project_page(request, member, "corrections/mine.html", context | more, tab="work", status=status)


def _ordered(counted: Any) -> list[tuple[Became, int]]:
    return [(outcome, counted[outcome.value]) for outcome in Became]


# The pages on which disputes are decided, by a person who had no part in the decision.


class DecisionForm(forms.Form):
    decision = forms.ChoiceField(
        label=gettext_lazy("Who is right?"), choices=Dispute.Decision.choices, widget=forms.RadioSelect
    )
    answer = forms.CharField(
        label=gettext_lazy("Answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The author and whoever decided before will read it."),
    )


@never_cache
@login_required
def dispute_list(request: HttpRequest, slug: str) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    decided = request.GET.get("show") == "decided"
    page = disputes(member, decided=decided, before=row_named(request, "before"))
    show = "show=decided" if decided else ""
    context = {
        "page": page,
        "decided": decided,
        "waiting": open_count(member),
        "older": f"?{show}&before={page.older}" if page.older else "",
        "newer": f"?{show}" if request.GET.get("before") else "",
    }
    return project_page(request, member, "corrections/disputes.html", context, tab="review")


@never_cache
@login_required
def dispute_page(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    return _dispute_page(request, member, _dispute_or_404(member, pk), DecisionForm())


@require_POST
@login_required
def dispute_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, REVIEWERS)
    dispute, form = _dispute_or_404(member, pk), DecisionForm(request.POST)
    if not form.is_valid():
        return _dispute_page(request, member, dispute, form, status=422)
    try:
        decide(made=dispute, by=person(request), **form.cleaned_data)
    except (Refused, WrongState) as late:
        again = reverse("dispute", args=[slug, pk])
        return render(request, "409.html", {"reason": str(late), "again": again}, status=409)
    messages.success(request, _("Answered. The item stays as it is until someone reopens it."))
    return redirect("dispute", slug, pk)


def _dispute_or_404(member: Member, pk: int) -> Dispute:
    """A dispute of this project that this member may know of; else 404."""
    dispute = (
        seen_by(member).select_related("annotation__item", "annotation__author", "decided_by").filter(pk=pk).first()
    )
    if dispute is None:
        raise Http404
    dispute.annotation.item.project = member.project
    return dispute


def _dispute_page(
    request: HttpRequest, member: Member, dispute: Dispute, form: DecisionForm, *, status: int = 200
) -> HttpResponse:
    row: DisputeRow = rows_of([dispute], member)[0]
    context: dict[str, Any] = {"row": row, "one": row.correction, "form": form}
    return project_page(request, member, "corrections/dispute.html", context, tab="review", status=status)
