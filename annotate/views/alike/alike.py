"""Near-duplicates: pairs side by side, to keep both or one."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.models import AlikePair, AlikeSearch, Member
from annotate.services import near_duplicates as service
from annotate.services.errors import WrongState
from annotate.views.access import LEADS, membership, person
from annotate.views.pages import project_page

PER_PAGE = 10


class SearchForm(forms.Form):
    threshold = forms.FloatField(
        label=gettext_lazy("How alike, from 0 to 1"),
        min_value=0.3,
        max_value=1,
        initial=service.THRESHOLD,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy("Of all pairs of neighbouring words in either question, the share that stands in both."),
    )


class FilterForm(forms.Form):
    show = forms.ChoiceField(required=False, choices=[("", gettext_lazy("open")), ("decided", gettext_lazy("decided"))])
    of = forms.ChoiceField(
        required=False,
        choices=[
            ("", gettext_lazy("All pairs")),
            ("one", gettext_lazy("of one participant")),
            ("several", gettext_lazy("of two participants")),
        ],
    )


def _lead(request: HttpRequest, slug: str) -> Member:
    """Only where items are asked by people."""
    member = membership(request, slug, LEADS)
    if not service.suits(member.project):
        raise Http404
    return member


@login_required
def near_duplicates(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks again every two seconds while a worker searches."""
    return _page(request, _lead(request, slug))


def _page(request: HttpRequest, member: Member, form: SearchForm | None = None, status: int = 200) -> HttpResponse:
    search = AlikeSearch.objects.filter(project=member.project).first()
    filter_form = FilterForm(request.GET)
    filter_values = filter_form.cleaned_data if filter_form.is_valid() else {"show": "", "of": ""}
    pairs = service.pairs_of(member.project, decided=filter_values["show"] == "decided", scope=filter_values["of"])
    page = Paginator(pairs.select_related("first", "second", "decided_by"), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "search": search,
        "running": search is not None and search.finished_at is None,
        "form": form or SearchForm(initial={"threshold": search.threshold} if search else None),
        "given": filter_values,
        "scopes": FilterForm.base_fields["of"].choices,  # type: ignore[attr-defined]
        "page": page,
        "rows": service.with_texts(member.project, list(page)),
    }
    if request.htmx:  # type: ignore[attr-defined]  # set by django-htmx's middleware
        frame = {"project": member.project, "membership": member}
        return render(request, "alike/_pairs.html", frame | context)
    return project_page(request, member, "alike/pairs.html", context, tab="import", status=status)


@require_POST
@login_required
def near_duplicates_search(request: HttpRequest, slug: str) -> HttpResponse:
    member = _lead(request, slug)
    form = SearchForm(request.POST)
    if not form.is_valid():
        return _page(request, member, form, status=422)
    service.ask(member.project, by=person(request), threshold=form.cleaned_data["threshold"])
    return redirect("near_duplicates", slug)


@require_POST
@login_required
def near_duplicate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Decide about one pair."""
    member = _lead(request, slug)
    pairs = AlikePair.objects.filter(project=member.project, pk=pk).select_related("first", "second")
    pair = pairs.first()
    if pair is None:
        raise Http404
    decision = request.POST.get("decision", "")
    if decision not in AlikePair.Decision.values:
        return redirect("near_duplicates", slug)
    pair.first.project = pair.second.project = member.project
    try:
        service.decide(pair, decision, by=person(request))
    except WrongState as late:
        messages.warning(request, str(late))
    else:
        messages.success(request, _("Decided."))
    return redirect("near_duplicates", slug)
