from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.work import Annotation


class EventQuerySet(models.QuerySet["Event"]):
    def shown_to(self, person: Any) -> "EventQuerySet":
        """Excludes what others did that this person must not know yet: the same rule as for annotations."""
        # Asked of the event's own text only: all texts of the item, for each event, take minutes where both are many.
        hidden = Annotation.objects.filter(pk=OuterRef("annotation")).sealed_from(person)
        return self.exclude(Q(annotation__isnull=False) & Exists(hidden))


class Event(models.Model):
    """One line of an item's history. Rows are only ever added.

    reopening: the reopening of stale items that this step, `reopened` or `reclosed`, is part of; None for any other.
    """

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="events")
    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="+", db_index=False)
    verb = models.CharField(max_length=16)
    from_state = models.CharField(max_length=12, blank=True)
    to_state = models.CharField(max_length=12, blank=True)
    round = models.PositiveSmallIntegerField(default=1)
    actor = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    annotation = models.ForeignKey("annotate.Annotation", models.SET_NULL, null=True, blank=True, related_name="+")
    reopening = models.ForeignKey(
        "annotate.Reopening", models.SET_NULL, null=True, blank=True, related_name="events", db_index=False
    )
    note = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            # With the item: what was accepted in the last days, and last, is read from this index alone.
            models.Index(fields=["project", "verb", "at", "item"], name="events_by_verb"),
            models.Index(fields=["reopening"], name="events_of_reopenings", condition=Q(reopening__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.item_id}"


class CommentQuerySet(models.QuerySet["Comment"]):
    def threads(self) -> "CommentQuerySet":
        return self.filter(parent=None)

    def shown_to(self, person: Any) -> "CommentQuerySet":
        """Excludes what others said in work that is still hidden from this person.

        That is, by people who have, or had, the same work on the item in hand in the same round.
        """
        said_at_work = Annotation.objects.filter(
            item=OuterRef("item"), slot__round=OuterRef("round"), author=OuterRef("author")
        )
        return self.exclude(~Q(author=person) & Exists(said_at_work.sealed_from(person)))

    def unresolved(self) -> "CommentQuerySet":
        return self.threads().filter(resolved_at=None)


class Comment(models.Model):
    """A remark pinned to a field of an item, or to a span of its answer; answers hang below the first one."""

    class Answer(models.TextChoices):
        FIXED = "fixed", _("Fixed")
        DISAGREE = "disagree", _("I disagree")

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="comments")
    annotation = models.ForeignKey("annotate.Annotation", models.SET_NULL, null=True, blank=True, related_name="+")
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="answers")
    field = models.CharField(max_length=80, blank=True)
    span = models.JSONField(default=dict, blank=True)  # {} or field, start, end, text, label, as when it was written
    author = models.ForeignKey("annotate.User", models.PROTECT, related_name="comments")
    text = models.TextField()
    answer = models.CharField(max_length=8, choices=Answer, blank=True)
    round = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")

    objects = CommentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(parent=None) | Q(resolved_at=None), name="only_whole_threads_are_resolved"
            )
        ]

    def __str__(self) -> str:
        return f"{self.author_id} on {self.item_id}.{self.field}"


class Release(models.Model):
    """A frozen, versioned export. Its rows never change, except that rows are erased if their reporters withdraw."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="releases")
    version = models.PositiveIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    lease_until = models.DateTimeField(null=True, blank=True)
    filters = models.JSONField(default=dict, blank=True)
    note = models.CharField(max_length=200, blank=True)
    licence = models.CharField(max_length=80, blank=True)
    rows = models.PositiveIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    manifest = models.JSONField(default=dict, blank=True)
    stored_as = models.CharField(max_length=255, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    erased = models.PositiveIntegerField(default=0)  # rows whose reporters withdrew; the release is then withdrawn

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="a_release_version_is_unique")]

    def __str__(self) -> str:
        return f"{self.project_id} v{self.version}"
