from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

SHARE = [MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))]


class Sample(models.Model):
    """A batch of accepted items; a random sample of it is reviewed again to decide whether the batch is good enough."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="samples")
    filters = models.JSONField(default=dict, blank=True)
    tolerated = models.DecimalField(max_digits=5, decimal_places=4, validators=SHARE)
    risk = models.DecimalField(max_digits=5, decimal_places=4, validators=SHARE)
    allowed = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    widened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"sample {self.pk} of {self.project_id}"


class Sampled(models.Model):
    """An item of such a batch. round: the one in which it is reviewed again; null while it is unchanged."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="batch")
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="sampled")
    drawn = models.BooleanField(default=False)
    round = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "item"], name="an_item_is_in_a_sample_once"),
            models.CheckConstraint(
                condition=Q(drawn=False) | Q(round__isnull=False), name="what_is_drawn_is_reviewed_again"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} in {self.sample_id}"
