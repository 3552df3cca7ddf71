from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from annotate.models import Run
from annotate.services import classifying
from annotate.services.overview.help import TOO_FEW
from annotate.views.access import LEADS, membership
from annotate.views.pages import project_page

RUNS = 20


class CellForm(forms.Form):
    """Which figure of the matrix the items are asked of. `model` may be empty and mean "outside the taxonomy"."""

    people = forms.CharField(required=False, max_length=120)
    model = forms.CharField(required=False, max_length=120)
    right = forms.ChoiceField(required=False, choices=[("", ""), ("task", ""), ("label", "")])
    left = forms.ChoiceField(required=False, choices=[("", ""), *classifying.WORDS.items()])
    after = forms.IntegerField(required=False, min_value=0, max_value=2**62)

    def given(self) -> dict[str, Any]:
        model = self.cleaned_data["model"] if "model" in self.data else None
        return {**self.cleaned_data, "model": model}


@login_required
def classification(request: HttpRequest, slug: str) -> HttpResponse:
    """Every run that classified, with its accuracy."""
    member = membership(request, slug, LEADS)
    runs = list(classifying.runs_of(member.project_id)[:RUNS])
    for run in runs:
        run.project = member.project
    context = {"rows": [(run, classifying.accuracy(run)) for run in runs], "too_few": TOO_FEW}
    return project_page(request, member, "classification/runs.html", context, tab="runs")


@login_required
def classification_run(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    member = membership(request, slug, LEADS)
    run = get_object_or_404(classifying.runs_of(member.project_id), pk=pk)
    run.project = member.project
    context = {"run": run, "found": classifying.accuracy(run), "too_few": TOO_FEW, "outside": classifying.OUTSIDE}
    return project_page(request, member, "classification/run.html", context, tab="runs")


@login_required
def classification_items(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The items behind one figure."""
    member = membership(request, slug, LEADS)
    run: Run = get_object_or_404(classifying.runs_of(member.project_id), pk=pk)
    run.project = member.project
    form = CellForm(request.GET)
    if not form.is_valid():
        context: dict[str, Any] = {"run": run, "refused": True}
        return project_page(request, member, "classification/items.html", context, tab="runs", status=422)
    query = form.given()
    rows, following = classifying.page(classifying.cell(run, query), query["after"] or 0)
    context = {"run": run, "rows": rows, "given": query, "why": classifying.WORDS.get(query["left"])}
    if following is not None:
        parameters = {name: value for name, value in request.GET.items() if name in form.fields}
        address = reverse("classification_items", args=[slug, pk])
        context["older"] = f"{address}?{urlencode({**parameters, 'after': following})}"
    return project_page(request, member, "classification/items.html", context, tab="runs")
