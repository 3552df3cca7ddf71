"""Items that a change of guidelines sends back to work, and the history of questions and rulings."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.readiness import Precedent


class Reopening(models.Model):
    """Accepted items that a lead reopens because a new version of the guidelines made them stale; in parts, under a
    lease.

    selection: what was chosen, as `{"ids": [...]}` or as the filters of the list. at: the last item seen. reopened,
    taken_back: counts; left_out: reason -> count. note: written into the history of each item.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("being reopened")
        DONE = "done", _("reopened")
        LEAVING = "leaving", _("being taken back")
        TAKEN_BACK = "back", _("taken back")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="reopenings")
    guideline = models.ForeignKey("annotate.Guideline", models.CASCADE, related_name="reopenings")
    selection = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    at = models.PositiveBigIntegerField(default=0)
    reopened = models.PositiveIntegerField(default=0)
    taken_back = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=dict, blank=True)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "leaving"], ended_at=None)
                | Q(state__in=["done", "back"], ended_at__isnull=False),
                name="an_ended_reopening_has_its_time",
            )
        ]

    def __str__(self) -> str:
        return f"reopening {self.pk} in {self.project_id}"


class PrecedentEvent(models.Model):
    """One line of the history of a question: rows are only ever added. text, group: the values from then on."""

    class Verb(models.TextChoices):
        ASKED = "asked", _("asked")
        RULED = "ruled", _("ruled")
        CHANGED = "changed", _("changed the ruling")
        WITHDRAWN = "withdrawn", _("withdrew the ruling")

    precedent = models.ForeignKey(Precedent, models.CASCADE, related_name="events")
    verb = models.CharField(max_length=9, choices=Verb)
    text = models.TextField(blank=True)
    group = models.CharField(max_length=120, blank=True)
    actor = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.verb} {self.precedent_id}"
