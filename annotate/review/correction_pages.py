"""Pages of one's own corrections, which may be disputed."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotate.errors import Refused
from annotate.models import Member
from annotate.review.corrections import Became, corrections, counts, texts_of
from annotate.review.disputes import dispute
from annotate.web.access import WORKERS, membership, person, project_page

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
    return project_page(request, member, "corrections/mine.html", context | more, tab="my_corrections", status=status)


def _ordered(counted: Any) -> list[tuple[Became, int]]:
    return [(outcome, counted[outcome.value]) for outcome in Became]
