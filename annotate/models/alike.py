"""Near-duplicate items, and what somebody decided about them."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

SHARE = [MinValueValidator(0.0), MaxValueValidator(1.0)]


class AlikeSearch(models.Model):
    """The last search for near-duplicates in a project; a worker does it under a lease.

    threshold: how similar two texts must be. items: how many were compared, pairs: how many were found.
    """

    project = models.OneToOneField("annotate.Project", models.CASCADE, related_name="alike_search")
    threshold = models.FloatField(validators=SHARE)
    asked_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    items = models.PositiveIntegerField(default=0)
    pairs = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"search for near-duplicates in {self.project_id}"


class AlikePair(models.Model):
    """Two items of a project; first is the older one. decision: empty while nobody has decided."""

    class Decision(models.TextChoices):
        BOTH = "both", _("Both kept")
        FIRST = "first", _("First kept")
        SECOND = "second", _("Second kept")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="alike_pairs", db_index=False)
    first = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    second = models.ForeignKey("annotate.Item", models.CASCADE, related_name="+")
    likeness = models.FloatField(validators=SHARE)
    decision = models.CharField(max_length=6, choices=Decision, blank=True)
    decided_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="two_items_are_a_pair_once"),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="the_older_item_of_a_pair_comes_first"),
        ]
        indexes = [models.Index(fields=["project", "decision", "-likeness", "id"], name="pairs_by_likeness")]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id}"
