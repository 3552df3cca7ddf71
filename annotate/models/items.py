"""Imports, their items, and what is decided about several items: labels, near-duplicates, samples."""

from typing import Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.projects import SHARE
from annotate.models.survey import Erasure

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

    def kept(self) -> "ItemQuerySet":
        """Without those that their reporter has withdrawn.

        An anti-join: PostgreSQL takes the null of an outer join for rare, and sorts all items for each chunk.
        """
        return self.filter(~Exists(Erasure.objects.filter(item=OuterRef("pk"))))

    def undecided(self) -> "ItemQuerySet":
        return self.exclude(state__in=[Item.State.ACCEPTED, Item.State.DROPPED])


class Item(models.Model):
    """One thing to curate: frozen facts and a state. Only annotate/items/flow.py writes the state."""

    class State(models.TextChoices):
        IMPORTED = "imported", _("Imported")
        READY = "ready", _("To annotate")
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
    # Columns that only leads see. Null where there are none: another default would make SQLite copy the table.
    metadata = models.JSONField(null=True, blank=True)

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
            # The languages are read from this index alone, without the items.
            models.Index(fields=["project", "purpose", "language", "state"], name="items_counted"),
            models.Index(fields=["project", "content_hash"], name="items_by_content"),
            models.Index(fields=["project", "id", "key", "title"], name="items_searched"),
            models.Index(fields=["project", "-changed_at", "-id"], name="items_by_change"),
            models.Index(fields=["project", "state", "changed_at", "id"], name="items_by_state_and_change"),
            models.Index(fields=["project", "-priority", "-id"], name="items_by_priority"),
        ]

    def __str__(self) -> str:
        return self.key


class ItemCountQuerySet(models.QuerySet["ItemCount"]):
    def totals(self, *columns: str) -> "models.QuerySet[ItemCount, Any]":
        """The columns and the number of items that have these values; no row for none."""
        return self.values_list(*columns).annotate(n=Sum("items")).exclude(n=0).order_by()


class ItemCount(models.Model):
    """How many items of a project have this purpose and state: the sum over all rows, one of which may be negative.

    Triggers on the table of items count, so that no writer can forget to (migration 0052). On PostgreSQL people who
    submit at the same time count in different rows, and nobody waits. `check_items` compares the sums with the items.
    """

    # Without a constraint: deleting a project deletes its items, which still counts, and leaves sums of zero.
    project = models.ForeignKey(
        "annotate.Project", models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    purpose = models.CharField(max_length=11, choices=Item.Purpose)
    state = models.CharField(max_length=12, choices=Item.State)
    items = models.BigIntegerField()

    objects = ItemCountQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["project", "purpose", "state"], name="counts_of_items")]

    def __str__(self) -> str:
        return f"{self.items} {self.state} {self.purpose} items of {self.project_id}"


class Classification(models.Model):
    """A model's label for an item, from its first look. It is never a suggestion: nobody is shown it as a draft."""

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="classifications")
    run = models.ForeignKey("annotate.Run", models.CASCADE, related_name="classifications", db_index=False)
    label = models.CharField(max_length=240)  # in the taxonomy's spelling, parts joined by ";"; else the model's
    group = models.CharField(max_length=120)  # its first part, the task
    listed = models.BooleanField(default=True)  # the label was in the project's taxonomy
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item"], name="a_run_classifies_an_item_once")]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.label}"


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
