"""Background jobs that compute the figures of boards, and counters of changes by which remembered figures know
whether the data that they were made of are still the same.

Triggers count every statement that inserts, changes or deletes verdicts of a judge, or answers in a project, so that no
writer can forget it: counting a million verdicts at each look at a board took longer than the look. Backups leave the
counters out: an installation that is restored begins new ones, whose tokens no older result knows.
"""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class BoardComputation(models.Model):
    """Figures of a board that a worker computes, or has computed, for one choice of options.

    options: a digest of the options. address: the page that is computed, as the person who asked sees it.
    missing: a digest of the cache key of the result that was missing, which says for which data. phase, done, total:
    the progress; total is 0 where nobody knows it. results: name -> cache keys of all results of the last figures,
    which a worker computed at computed_at in so many seconds.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Being computed")
        DONE = "done", _("Computed")
        STOPPED = "stopped", _("Stopped")
        FAILED = "failed", _("Failed")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="board_computations")
    board = models.CharField(max_length=40)
    options = models.CharField(max_length=64)
    address = models.TextField()
    missing = models.CharField(max_length=64)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    asked_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(default=timezone.now)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    phase = models.CharField(max_length=20, blank=True)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    computed_at = models.DateTimeField(null=True, blank=True)
    results = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-asked_at"]
        constraints = [
            models.UniqueConstraint(fields=["project", "board", "options"], name="figures_are_computed_once")
        ]

    def __str__(self) -> str:
        return f"{self.board} of {self.project_id}"

    @property
    def share(self) -> int | None:
        """How much of this phase is done, in per cent; None where nobody knows."""
        return min(100 * self.done // self.total, 100) if self.total else None


class Changes(models.Model):
    """One of several counters of an owner: on PostgreSQL writers at the same time count in different rows.

    token: drawn when the row is created. Migration 0013 creates the tables.
    """

    id = models.BigAutoField(primary_key=True)
    owner = models.BigIntegerField()
    token = models.BigIntegerField()
    changes = models.BigIntegerField()

    class Meta:
        abstract = True


class VerdictChanges(Changes):
    """owner: a judge."""

    class Meta:
        managed = False
        db_table = "judging_verdictchanges"

    def __str__(self) -> str:
        return f"{self.changes} changes of verdicts of judge {self.owner}"


class AnswerChanges(Changes):
    """owner: the project of the authors."""

    class Meta:
        managed = False
        db_table = "judging_answerchanges"

    def __str__(self) -> str:
        return f"{self.changes} changes of answers in project {self.owner}"
