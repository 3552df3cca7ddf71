"""Acceptance sampling: is a batch of accepted items good enough, or is all of it reviewed again?"""

import random
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.models import Item, Project, Sample, Sampled, User
from annotate.services import flow, slots
from annotate.services.errors import Refused, WrongState
from annotate.services.sampling.plan import sample_size
from annotate.services.sampling.results import FAILED, result_of

LARGEST = 100_000
TOGETHER = 100  # items in one transaction: others must be able to write in between


def candidates(items: QuerySet[Item]) -> QuerySet[Item]:
    """Of a selection what can be sampled: accepted work with a text, in no batch that is still being looked at."""
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
    """Draw as many as the plan wants and put them into review; the rest of the batch stays accepted meanwhile.

    Raises Refused where there is nothing to draw from, or nothing that could be wrong.
    """
    ids = sorted(candidates(items).values_list("pk", flat=True)[: LARGEST + 1])
    if len(ids) > LARGEST:
        raise Refused(_("At most %(n)d items make one batch: choose fewer.") % {"n": LARGEST})
    size = sample_size(len(ids), tolerated=Fraction(tolerated), risk=Fraction(risk), allowed=allowed)
    if not size:
        raise Refused(_("Nothing to draw: no accepted item is chosen, or any number of faults is tolerated."))
    sample_ids = set(random.SystemRandom().sample(ids, size))
    with transaction.atomic():
        sample = Sample.objects.create(
            project=project, filters=dict(filters or {}), tolerated=tolerated, risk=risk, allowed=allowed, created_by=by
        )
        Sampled.objects.bulk_create([Sampled(sample=sample, item_id=pk) for pk in ids if pk not in sample_ids])
        for pk in sorted(sample_ids):
            item = Item.objects.select_related("base").get(pk=pk)
            recheck(item, project, by=by)
            Sampled.objects.create(sample=sample, item=item, drawn=True, round=item.round)
    return sample


def recheck(item: Item, project: Project, *, by: User) -> None:
    """An accepted text is reviewed again, once, by somebody who has not written on the item. Raises WrongState."""
    assert item.base is not None
    with transaction.atomic():
        flow.lock(item.pk)
        flow.move(item, "rechecked", by=by)
        slots.open_reviews(item, project, about=item.base, opens_at=timezone.now(), people=1)


def review_whole(sample: Sample, *, by: User) -> int:
    """The rest of a failed batch goes into review too; gives how many. Raises Refused unless it failed.

    What was moved meanwhile is left as it is.
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
    Sample.objects.filter(pk=sample.pk).update(widened_at=timezone.now())
    return moved


def _recheck_one(sampled_row: Sampled, project: Project, *, by: User) -> bool:
    item = Item.objects.select_related("base").get(pk=sampled_row.item_id)
    if item.base is None:
        return False
    try:
        recheck(item, project, by=by)
    except WrongState:
        return False
    Sampled.objects.filter(pk=sampled_row.pk).update(round=item.round)
    return True
