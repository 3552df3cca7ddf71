"""Pages of acceptance sampling: choose a batch, see the sample size, draw the sample, and read the result."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from annotate.errors import Refused, WrongState
from annotate.models import Batch, Item, Project, Sample, User
from annotate.quality import acceptance_sampling
from annotate.quality.acceptance_sampling import faults, result_of, sample_size
from annotate.web.access import LEADS, membership, person, project_page

SAMPLES_SHOWN = 20
FAULTS = 50


def _percent(label: Any, initial: str, help_text: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label, initial=initial, min_value=0, max_value=100, max_digits=5, decimal_places=2, help_text=help_text
    )


class SampleForm(forms.Form):
    batch = forms.ModelChoiceField(
        Batch.objects.none(), label=gettext_lazy("Import"), required=False, empty_label=gettext_lazy("any")
    )
    author = forms.ModelChoiceField(
        User.objects.none(), label=gettext_lazy("Written by"), required=False, empty_label=gettext_lazy("anyone")
    )
    group = forms.CharField(label=gettext_lazy("Group"), max_length=120, required=False)
    tolerated = _percent(
        gettext_lazy("Tolerated errors, percent"), "5", gettext_lazy("Fail batches with more errors than this.")
    )
    risk = _percent(gettext_lazy("Risk, percent"), "5", gettext_lazy("Highest chance that a worse batch still passes."))
    allowed = forms.IntegerField(
        label=gettext_lazy("Errors allowed in the sample"),
        initial=0,
        min_value=0,
        max_value=100,
        help_text=gettext_lazy("0 reviews the fewest items; a higher number forgives chance errors but reviews more."),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project = project
        fields: dict[str, Any] = self.fields
        fields["batch"].queryset = Batch.objects.filter(project=project, kept__gt=0)
        fields["author"].queryset = User.objects.filter(memberships__project=project).order_by("username")

    def items(self) -> QuerySet[Item]:
        items = Item.objects.filter(project=self.project)
        lookups = {"batch": "batch", "author": "base__author", "group": "group"}
        return items.filter(**{lookup: value for name, lookup in lookups.items() if (value := self.cleaned_data[name])})

    def filters(self) -> dict[str, str]:
        return {name: str(value) for name in ("batch", "author", "group") if (value := self.cleaned_data[name])}

    def plan(self) -> dict[str, Any]:
        """tolerated and risk as shares, allowed as a number."""
        shares = {name: self.cleaned_data[name] / Decimal(100) for name in ("tolerated", "risk")}
        return {**shares, "allowed": self.cleaned_data["allowed"]}


@login_required
def samples(request: HttpRequest, slug: str) -> HttpResponse:
    """The samples of a project, and the size of a further one. Only a POST draws."""
    lead = membership(request, slug, LEADS)
    query = request.POST if request.method == "POST" else request.GET if "tolerated" in request.GET else None
    form = SampleForm(query, project=lead.project)
    if request.method == "POST" and form.is_valid():
        try:
            acceptance_sampling.draw(
                project=lead.project, items=form.items(), by=person(request), filters=form.filters(), **form.plan()
            )
        except (Refused, WrongState) as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Sample drawn. Its items now wait for review."))
            return redirect("samples", slug)
    context = {"form": form, "size": _size(form), "rows": [_row(sample) for sample in _newest(lead.project)]}
    status = 422 if form.errors else 200
    return project_page(request, lead, "sampling/samples.html", context, tab="review", status=status)


@require_POST
@login_required
def sample_whole(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    sample = get_object_or_404(Sample.objects.select_related("project"), pk=pk, project_id=lead.project_id)
    try:
        moved = acceptance_sampling.review_whole(sample, by=person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        message = ngettext("%(n)d more item waits for review.", "%(n)d more items wait for review.", moved)
        messages.success(request, message % {"n": moved})
    return redirect("samples", slug)


def _size(form: SampleForm) -> dict[str, Any] | None:
    """The sample size for a draw now; None where the form is incomplete."""
    if not form.is_bound or form.errors:
        return None
    batch = min(acceptance_sampling.candidates(form.items()).count(), acceptance_sampling.LARGEST)
    plan = form.plan()
    tolerated, risk = Fraction(plan["tolerated"]), Fraction(plan["risk"])
    return {"batch": batch, "drawn": sample_size(batch, tolerated=tolerated, risk=risk, allowed=plan["allowed"])}


def _newest(project: Project) -> QuerySet[Sample]:
    return Sample.objects.filter(project=project).select_related("created_by")[:SAMPLES_SHOWN]


def _row(sample: Sample) -> dict[str, Any]:
    faulty_rows = faults(sample).select_related("item").order_by("item")[:FAULTS]
    return {
        "sample": sample,
        "result": result_of(sample),
        "faults": [row.item for row in faulty_rows],
        "tolerated": 100 * sample.tolerated,
        "risk": 100 * sample.risk,
        "of": ", ".join(sample.filters.values()),
    }
