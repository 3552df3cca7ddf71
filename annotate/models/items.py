from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

DROP_REASONS = [
    ("unsuitable", _("Unusable")),
    ("too_easy", _("Too easy")),
    ("duplicate", _("Duplicate")),
    ("withdrawn", _("Withdrawn")),
    ("other", _("Other")),
]


class Batch(models.Model):
    """One import of one file: what was read, kept and refused, and why."""

    class State(models.TextChoices):
        PREVIEW = "preview", _("Awaiting confirmation")
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="batches")
    file_name = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    format = models.CharField(max_length=40)
    settings = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    lease_until = models.DateTimeField(null=True, blank=True)
    read = models.PositiveIntegerField(default=0)
    kept = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    rejected = models.PositiveIntegerField(default=0)
    problems = models.JSONField(default=list, blank=True)
    unlisted = models.PositiveIntegerField(default=0)
    rejects_as = models.CharField(max_length=255, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.file_name


class ItemQuerySet(models.QuerySet["Item"]):
    def counted(self) -> "ItemQuerySet":
        """Only what is counted, compared and released: not calibration, gold or attention items."""
        return self.filter(purpose=Item.Purpose.WORK)

    def undecided(self) -> "ItemQuerySet":
        return self.exclude(state__in=[Item.State.ACCEPTED, Item.State.DROPPED])


class Item(models.Model):
    """One thing to curate: frozen facts and a state. Only annotate/items/flow.py writes the state."""

    class State(models.TextChoices):
        IMPORTED = "imported", _("Imported")
        READY = "ready", _("Ready")
        REVIEWING = "reviewing", _("In review")
        ADJUDICATING = "adjudicating", _("To adjudicate")
        ACCEPTED = "accepted", _("Accepted")
        DROPPED = "dropped", _("Dropped")

    class Purpose(models.TextChoices):
        WORK = "work", _("Work")
        CALIBRATION = "calibration", _("Calibration")
        GOLD = "gold", _("Gold")
        ATTENTION = "attention", _("Attention")

    # Columns for lists and searches come before the facts, so that SQLite need not read the facts.
    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="items", db_index=False)
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=160, blank=True)
    purpose = models.CharField(max_length=11, choices=Purpose, default=Purpose.WORK)
    state = models.CharField(max_length=12, choices=State, default=State.IMPORTED)
    round = models.PositiveSmallIntegerField(default=1)
    priority = models.SmallIntegerField(default=0)
    group = models.CharField(max_length=120, blank=True)
    language = models.CharField(max_length=12, blank=True)
    drop_reason = models.CharField(max_length=10, blank=True, choices=DROP_REASONS)
    changed_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, blank=True, related_name="items")
    parent = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="children")
    base = models.ForeignKey("annotate.Annotation", models.SET_NULL, null=True, blank=True, related_name="+")
    content_hash = models.CharField(max_length=64)
    schema = models.PositiveSmallIntegerField(default=1)
    facts = models.JSONField()

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="a_key_is_unique_in_its_project"),
            models.CheckConstraint(
                condition=(Q(state="dropped") & ~Q(drop_reason="")) | (~Q(state="dropped") & Q(drop_reason="")),
                name="dropped_items_say_why",
            ),
            models.CheckConstraint(condition=Q(round__gte=1), name="rounds_begin_at_one"),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="items_in_order"),
            models.Index(fields=["project", "state", "id"], name="items_by_state"),
            models.Index(fields=["project", "group", "id"], name="items_by_group"),
            models.Index(fields=["project", "content_hash"], name="items_by_content"),
            models.Index(fields=["project", "id", "key", "title"], name="items_searched"),
            models.Index(fields=["project", "-changed_at", "-id"], name="items_by_change"),
            models.Index(fields=["project", "-priority", "-id"], name="items_by_priority"),
        ]

    def __str__(self) -> str:
        return self.key
