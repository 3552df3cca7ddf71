"""Acceptance sampling: how many items of a batch to review, drawing them, the verdict on the batch, and its pages.

Sampling by attributes, as in textbooks of quality control: a batch passes if its sample holds no more faults than
allowed. Otherwise all of it is reviewed again. The sample size is computed with sums of whole numbers, so it is exact;
it bounds the probability that a bad batch passes.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from annotate.audit.trail import record, values_of
from annotate.bulk_rows import BulkInsert
from annotate.errors import Refused, WrongState
from annotate.items.actions import review_again
from annotate.items.member_fields import offer_members
from annotate.models import Annotation, Batch, Item, Project, Sample, Sampled, Slot, User
from annotate.models.media import FILES
from annotate.web.access import LEADS, membership, person, project_page


def chance_of_passing(batch: int, faulty: int, size: int, allowed: int = 0) -> Fraction:
    """The probability that a sample drawn without replacement holds at most `allowed` faulty items (hypergeometric).

    0 <= faulty <= batch and 0 <= size <= batch; raises ValueError otherwise.
    """
    if not (0 <= faulty <= batch and 0 <= size <= batch and allowed >= 0):
        raise ValueError(f"no sample of {size} from {batch} with {faulty} faulty")
    most = min(allowed, faulty, size)
    ways = sum(
        comb(faulty, faulty_count) * comb(batch - faulty, size - faulty_count) for faulty_count in range(most + 1)
    )
    return Fraction(ways, comb(batch, size))


def fewest_intolerable(batch: int, tolerated: Fraction) -> int:
    """The smallest number of faulty items that is more than the tolerated share of the batch."""
    return int(tolerated * batch) + 1


def sample_size(batch: int, *, tolerated: Fraction, risk: Fraction, allowed: int = 0) -> int:
    """The smallest sample for which a batch with more than the tolerated share passes with probability <= `risk`.

    tolerated in 0..1 and risk in 0..1, both exact. 0 if no batch of this size can hold more faults than tolerated; the
    whole batch if no smaller sample is enough.
    """
    faulty = fewest_intolerable(batch, tolerated)
    if faulty > batch:
        return 0
    low, high = min(allowed + 1, batch), batch  # the chance falls as the sample grows
    while low < high:
        middle = (low + high) // 2
        if chance_of_passing(batch, faulty, middle, allowed) <= risk:
            high = middle
        else:
            low = middle + 1
    return low


# The result of a sample: counted whenever it is shown, stored nowhere.


RUNNING, PASSED, FAILED = "running", "passed", "failed"


@dataclass(frozen=True)
class SampleResult:
    """Counts: all items of the batch, drawn, reviewed, and faulty ones (fixed, sent back, dropped, or removed)."""

    batch: int
    drawn: int
    looked_at: int
    faulty: int
    allowed: int

    @property
    def verdict(self) -> str:
        """The sample fails with the first fault too many, and passes when all its items were reviewed."""
        if self.faulty > self.allowed:
            return FAILED
        return PASSED if self.looked_at == self.drawn else RUNNING

    @property
    def running(self) -> bool:
        return self.verdict == RUNNING

    @property
    def left(self) -> int:
        return self.drawn - self.looked_at

    @property
    def rest(self) -> int:
        """The items of the batch that were not drawn."""
        return self.batch - self.drawn


def result_of(sample: Sample) -> SampleResult:
    sampled_rows = sample.batch.filter(drawn=True)
    faulty = faults(sample).count()
    return SampleResult(
        batch=sample.batch.count(),
        drawn=sampled_rows.count(),
        looked_at=sampled_rows.filter(Exists(_checks().filter(outcome="accepted"))).count() + faulty,
        faulty=faulty,
        allowed=sample.allowed,
    )


def faults(sample: Sample) -> QuerySet[Sampled]:
    """Drawn items that their review changed.

    An item that left its review otherwise, such as by a drop, was never found good and counts as a fault.
    """
    wrong = Q(Exists(_checks().exclude(outcome="accepted"))) | Q(Exists(_slots().filter(state=Slot.State.VOID)))
    return sample.batch.filter(wrong, drawn=True)


def _slots() -> QuerySet[Slot]:
    return Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), stage=Slot.Stage.REVIEW)


def _checks() -> QuerySet[Annotation]:
    return Annotation.objects.filter(
        slot__item=OuterRef("item"),
        slot__round=OuterRef("round"),
        slot__stage=Slot.Stage.REVIEW,
        submitted_at__isnull=False,
    )


def in_review(project: Project) -> QuerySet[Sample]:
    """The samples of which some drawn item still waits for its review."""
    waiting = _slots().filter(state__in=[Slot.State.OPEN, Slot.State.HELD])
    rows = Sampled.objects.filter(Exists(waiting), sample=OuterRef("pk"), drawn=True)
    return Sample.objects.filter(Exists(rows), project=project)


# Drawing a sample, and reviewing the whole batch.


LARGEST = 100_000
TOGETHER = 100  # items in one transaction: others must be able to write in between


def candidates(items: QuerySet[Item]) -> QuerySet[Item]:
    """The items of a selection that can be sampled: accepted work with a text, in no batch still under review."""
    sampled_rows = Sampled.objects.filter(round__isnull=True, sample__widened_at=None)
    undecided = [
        sample for sample in Sample.objects.filter(batch__in=sampled_rows).distinct() if result_of(sample).running
    ]
    busy = sampled_rows.filter(sample__in=undecided).values("item")
    accepted = items.filter(state=Item.State.ACCEPTED, purpose=Item.Purpose.WORK, base__isnull=False)
    return accepted.exclude(pk__in=busy)


def draw(
    *,
    project: Project,
    items: QuerySet[Item],
    tolerated: Decimal,
    risk: Decimal,
    by: User,
    allowed: int = 0,
    filters: Mapping[str, Any] | None = None,
) -> Sample:
    """Draw as many items as the plan needs and put them into review; the rest of the batch stays accepted meanwhile.

    Raises Refused where there is nothing to draw from, or nothing that could be wrong.
    """
    ids = sorted(candidates(items).values_list("pk", flat=True)[: LARGEST + 1])
    if len(ids) > LARGEST:
        raise Refused(_("A batch can have up to %(n)d items: choose fewer.") % {"n": LARGEST})
    size = sample_size(len(ids), tolerated=Fraction(tolerated), risk=Fraction(risk), allowed=allowed)
    if not size:
        raise Refused(_("Nothing to draw: no accepted item is chosen, or any number of errors is tolerated."))
    sample_ids = set(random.SystemRandom().sample(ids, size))
    with transaction.atomic():
        sample = Sample.objects.create(
            project=project, filters=dict(filters or {}), tolerated=tolerated, risk=risk, allowed=allowed, created_by=by
        )
        BulkInsert(Sampled, ("item_id",), sample_id=sample.pk).insert((pk,) for pk in ids if pk not in sample_ids)
        for pk in sorted(sample_ids):
            item = Item.objects.select_related("base").get(pk=pk)
            review_again(item, project, by=by)
            Sampled.objects.create(sample=sample, item=item, drawn=True, round=item.round)
        plan = values_of(sample, "filters", "tolerated", "risk", "allowed")
        record("sample.drawn", sample, after={**plan, "items": len(ids), "drawn": size})
    return sample


def review_whole(sample: Sample, *, by: User) -> int:
    """Put the rest of a failed batch into review and return how many items. Raises Refused unless it failed.

    Items that were moved meanwhile are left as they are.
    """
    if result_of(sample).verdict != FAILED:
        raise Refused(_("Only a batch whose sample failed is reviewed as a whole."))
    moved = 0
    rest = list(sample.batch.filter(round__isnull=True).order_by("pk"))
    for start in range(0, len(rest), TOGETHER):
        with transaction.atomic():
            moved += sum(
                _recheck_one(sampled_row, sample.project, by=by) for sampled_row in rest[start : start + TOGETHER]
            )
    with transaction.atomic():
        Sample.objects.filter(pk=sample.pk).update(widened_at=timezone.now())
        record("sample.widened", sample, after={"items": moved})
    return moved


def _recheck_one(sampled_row: Sampled, project: Project, *, by: User) -> bool:
    item = Item.objects.select_related("base").get(pk=sampled_row.item_id)
    if item.base is None:
        return False
    try:
        review_again(item, project, by=by)
    except WrongState:
        return False
    Sampled.objects.filter(pk=sampled_row.pk).update(round=item.round)
    return True


# Pages: choose a batch, see the sample size, draw the sample, and read the result.


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
        fields["batch"].queryset = Batch.objects.filter(project=project, kept__gt=0).exclude(format=FILES)
        people = User.objects.filter(memberships__project=project).order_by("username")
        offer_members(fields["author"], people, project, username="username")

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
            draw(project=lead.project, items=form.items(), by=person(request), filters=form.filters(), **form.plan())
        except (Refused, WrongState) as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Sample drawn. Its items now wait for review."))
            return redirect("samples", slug)
    context = {"form": form, "size": _size(form), "rows": [_row(sample) for sample in _newest(lead.project)]}
    status = 422 if form.errors else 200
    return project_page(request, lead, "sampling/samples.html", context, tab="samples", status=status)


@require_POST
@login_required
def sample_whole(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    lead = membership(request, slug, LEADS)
    sample = get_object_or_404(Sample.objects.select_related("project"), pk=pk, project_id=lead.project_id)
    try:
        moved = review_whole(sample, by=person(request))
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
    batch = min(candidates(form.items()).count(), LARGEST)
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
