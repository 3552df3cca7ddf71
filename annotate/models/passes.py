"""Passes: long work over all jobs of a run that sends nothing, such as planning it or reading its replies again."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.runs import Run


class Pass(models.Model):
    """One pass over a run's jobs, by the holder of its lease; done in parts, so that another worker can continue it."""

    class Sort(models.TextChoices):
        PLANNING = "planning", _("Planning")
        REREADING = "rereading", _("Reparsing")

    run = models.ForeignKey(Run, models.CASCADE, related_name="passes", db_index=False)
    sort = models.CharField(max_length=9, choices=Sort)
    # Options of the request: the `limit` of a planning.
    options = models.JSONField(default=dict, blank=True)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # how many workers have begun it
    at = models.PositiveBigIntegerField(default=0)  # the last job that was read again
    done = models.PositiveIntegerField(default=0)  # jobs done
    total = models.PositiveIntegerField(null=True, blank=True)  # None until they are counted
    result = models.JSONField(default=dict, blank=True)
    detail = models.CharField(max_length=300, blank=True)  # why it ended too early
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=Q(ended_at__isnull=True), name="one_pass_goes_over_a_run_at_a_time"
            )
        ]
        indexes = [models.Index(fields=["run", "id"], name="passes_of_a_run")]

    def __str__(self) -> str:
        return f"{self.sort} of {self.run_id}"
