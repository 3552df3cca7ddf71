from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.items import Item
from annotate.sqlite_hints import Unindexed

SKIP_REASONS = [
    ("too_hard", _("Too hard")),
    ("wrong_language", _("Wrong language")),
    ("broken", _("Broken")),
    ("unsafe", _("Unsafe")),
    ("other", _("Other")),
]
# Order of reviews and adjudications: urgent ones, then those that have waited longest; for the list and the queue.
LONGEST_WAITING = ("-priority", "opens_at", "id")
GIVEN_UP = "read a question about it"  # note of a Skip that cannot be undone; kept, as stored rows have it


class SlotQuerySet(models.QuerySet["Slot"]):
    def open(self) -> "SlotQuerySet":
        return self.filter(state=Slot.State.OPEN)

    def held(self) -> "SlotQuerySet":
        return self.filter(state=Slot.State.HELD)

    def held_by(self, person: Any) -> "SlotQuerySet":
        return self.held().filter(holder=person)

    def overdue(self, now: datetime) -> "SlotQuerySet":
        return self.held().filter(lease_until__lt=now)

    def due(self, now: datetime) -> "SlotQuerySet":
        return self.filter(opens_at__lte=now)

    def reserved_for_nobody_else(self, person: Any, now: datetime) -> "SlotQuerySet":
        return self.filter(Q(reserved_for=None) | Q(reserved_for=person) | Q(reserved_until__lte=now))

    def in_nobody_elses_turn(self, person: Any, now: datetime) -> "SlotQuerySet":
        """Excludes slots of units that somebody else has begun, unless they are reserved for this person."""
        return self.filter(Q(reserved_for=person) | ~turn_of_another(person, now))

    def not_skipped_by(self, person: Any) -> "SlotQuerySet":
        return self.filter(~Exists(Skip.objects.filter(item=OuterRef("item"), person=person)))

    def not_given_up_by(self, person: Any) -> "SlotQuerySet":
        """Excludes slots of items that this person gave up for good, in order to read the questions about them."""
        return self.filter(~Exists(Skip.objects.filter(item=OuterRef("item"), person=person, note=GIVEN_UP)))

    def not_already_in(self, person: Any) -> "SlotQuerySet":
        """Excludes slots of an item and round in which this person already has another slot."""
        return self.filter(~already_in(person))

    def not_own_work(self, person: Any, stage: str = "") -> "SlotQuerySet":
        """Only slots that this person may take, given what they have done with the item before.

        Excluded: reviews of an item to which they have contributed text in any round; adjudications of an item that
        they have reviewed in that round; and writing, if they have changed the text and others were to look at it.
        stage: of all these slots, if the caller knows it.
        """
        writer = getattr(person, "pk", person)
        texts = Annotation.objects.alias(writer=Unindexed(F("author")))  # a person has many texts, an item has few
        own_texts = texts.filter(
            item=OuterRef("item"), slot__isnull=False, writer=writer, authored=True, submitted_at__isnull=False
        )
        revised = own_texts.filter(outcome=Annotation.Outcome.REVISED)
        part = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), holder=person)
        allowed: dict[str, Q] = {
            Slot.Stage.ANNOTATE: ~Q(Exists(revised)),
            Slot.Stage.REVIEW: ~Q(Exists(own_texts)),
            Slot.Stage.ADJUDICATE: ~Q(Exists(own_texts)) & ~Q(Exists(part.exclude(stage=Slot.Stage.ADJUDICATE))),
        }
        if stage:
            return self.filter(allowed[Slot.Stage(stage)])
        fits = Q()
        for name, condition in allowed.items():
            fits |= Q(stage=name) & condition
        return self.filter(fits)

    def fitting_reviews(self, person: Any, now: datetime, stage: str = "") -> "SlotQuerySet":
        """Those that this person may review or adjudicate, of slots whose state the caller has chosen.

        stage: of all these slots, if the caller knows it.
        """
        stages = Q(stage=stage) if stage else Q(stage__in=[Slot.Stage.REVIEW, Slot.Stage.ADJUDICATE])
        fitting = self.filter(stages).due(now).not_own_work(person, stage).not_skipped_by(person)
        return fitting.filter(Q(holder=person) | ~already_in(person))

    def unfinished(self) -> "SlotQuerySet":
        return self.filter(state__in=[Slot.State.OPEN, Slot.State.HELD])

    def done_by(self, person: Any, **projects: Any) -> "SlotQuerySet":
        """What somebody has annotated, without calibration. projects: `project` or `project__in`."""
        calibration_items = Item.objects.filter(purpose=Item.Purpose.CALIBRATION, **projects)
        slots = self.filter(stage=Slot.Stage.ANNOTATE, state=Slot.State.SUBMITTED, holder=person, **projects)
        return slots.exclude(item__in=calibration_items)  # a column of the item is not in the index of slots

    def beside(self, slot: "Slot") -> "SlotQuerySet":
        """The slots that are worked on independently: this one and its siblings, in order."""
        same = self.filter(item_id=slot.item_id, round=slot.round, stage=slot.stage)
        return same.exclude(state=Slot.State.VOID).order_by("no")


class Slot(models.Model):
    """One unit of human work on an item: open, then held under a lease, then submitted.

    no: tells the slots of an item, stage and round apart. own: made for one person, on a calibration item or a check;
    submitting it moves no item. unit: a digest; slots for annotating that have the same one belong together, and null
    stands alone. It is on the slot because the queue then reads no items, whose facts may be long.
    """

    class Stage(models.TextChoices):
        ANNOTATE = "annotate", _("Annotate")
        REVIEW = "review", _("Review")
        ADJUDICATE = "adjudicate", _("Adjudicate")

    class State(models.TextChoices):
        OPEN = "open", _("Open")
        HELD = "held", _("In progress")
        SUBMITTED = "submitted", _("Submitted")
        VOID = "void", _("Void")

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="slots", db_index=False)
    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="slots", db_index=False)
    stage = models.CharField(max_length=10, choices=Stage)
    round = models.PositiveSmallIntegerField()
    no = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    holder = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="slots")
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    priority = models.SmallIntegerField(default=0)
    opens_at = models.DateTimeField(default=timezone.now)
    reserved_for = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="reserved")
    reserved_until = models.DateTimeField(null=True, blank=True)
    about = models.ForeignKey("annotate.Annotation", models.CASCADE, null=True, blank=True, related_name="reviews")
    blind = models.BooleanField(default=False)
    own = models.BooleanField(default=False)
    unit = models.CharField(max_length=32, null=True, blank=True)  # noqa: DJ001 - SQLite need not copy the table

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "stage", "round", "no"], name="a_slot_is_there_once"),
            models.UniqueConstraint(
                fields=["item", "round", "holder"], name="one_slot_a_person_a_round", condition=Q(holder__isnull=False)
            ),
            models.CheckConstraint(
                condition=~Q(state="held")
                | (Q(holder__isnull=False) & Q(token__isnull=False) & Q(lease_until__isnull=False)),
                name="a_held_slot_has_holder_token_and_lease",
            ),
            models.CheckConstraint(
                condition=Q(stage="annotate") | Q(about__isnull=False) | Q(stage="adjudicate"),
                name="a_review_is_about_an_annotation",
            ),
            models.CheckConstraint(condition=Q(own=False) | Q(stage="annotate"), name="own_slots_are_for_annotating"),
        ]
        indexes = [
            models.Index(
                fields=["project", "stage", "-priority", "id"], name="open_slots_in_order", condition=Q(state="open")
            ),
            models.Index(
                fields=["project", "stage", "reserved_for", "-priority", "id"],
                name="reserved_slots_in_order",
                condition=Q(state="open", reserved_for__isnull=False),
            ),
            models.Index(
                fields=["project", "stage", *LONGEST_WAITING], name="open_reviews_in_order", condition=Q(state="open")
            ),
            # The state comes first, although it is always the same: SQLite has no statistics of an empty index, and
            # takes the one that has most columns of the query.
            models.Index(
                fields=["state", "project", "lease_until"], name="held_slots_by_lease", condition=Q(state="held")
            ),
            models.Index(fields=["project", "holder", "state"], name="slots_by_holder"),
            # Counts of what is done, and of what somebody has done, read this index and no slots; the state is in it
            # because SQLite would look at the slot for a state that comes as a parameter.
            models.Index(
                fields=["state", "project", "stage", "holder", "item"],
                name="submitted_slots",
                condition=Q(state="submitted"),
            ),
            models.Index(
                fields=["project", "unit", "no", "item"],
                name="open_slots_by_unit",
                condition=Q(state="open", unit__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} {self.item_id}/{self.round}/{self.no}"


class UnitTurn(models.Model):
    """Who works on the items of a unit, and until when nobody else gets one of them.

    no: of the slots; with an overlap of three, three people have a turn at the same unit. It is taken by a conditional
    UPDATE that tests these columns alone, so it is exact on both databases.
    """

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="turns", db_index=False)
    unit = models.CharField(max_length=32)
    no = models.PositiveSmallIntegerField()
    holder = models.ForeignKey("annotate.User", models.CASCADE, related_name="turns", db_index=False)
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "unit", "no"], name="one_person_has_a_turn_at_a_unit")
        ]
        indexes = [models.Index(fields=["holder", "project"], name="turns_by_holder")]

    def __str__(self) -> str:
        return f"{self.holder} in {self.project_id}: {self.unit}/{self.no}"


def already_in(person: Any) -> Exists:
    """Whether this person already has another slot of a slot's item and round; for filters of slots."""
    return Exists(Slot.objects.filter(item=OuterRef("item"), round=OuterRef("round"), holder=person))


def turn_of_another(person: Any, now: datetime) -> Exists:
    """Whether somebody else has begun the unit of a slot, and their turn has not ended; for filters of slots."""
    turns = UnitTurn.objects.filter(project=OuterRef("project"), unit=OuterRef("unit"), no=OuterRef("no"))
    return Exists(turns.filter(~Q(holder=person), until__gt=now))


def sealed_from(person: Any, item: str, round_: str, stage: str, slot: str) -> Q:
    """Whether work on an item is still hidden from this person; for filters, with the names of its columns.

    It is hidden as long as somebody may do the same work independently: another slot of the same stage and round is
    unfinished. People who disagree do not see each other's work until somebody has begun the adjudication, because
    until then they can take their own back.
    """
    sibling_slots = Slot.objects.filter(item=OuterRef(item), round=OuterRef(round_), stage=OuterRef(stage))
    dispute = Slot.objects.open().filter(item=OuterRef(item), round=OuterRef(round_), stage=Slot.Stage.ADJUDICATE)
    waits = Q(Exists(sibling_slots.unfinished().exclude(pk=OuterRef(slot))))
    return waits | Q(Exists(sibling_slots.filter(holder=person))) & Q(Exists(dispute))


class AnnotationQuerySet(models.QuerySet["Annotation"]):
    def sealed_from(self, person: Any) -> "AnnotationQuerySet":
        """What others have submitted that this person must not know yet."""
        sealed = sealed_from(person, "item", "slot__round", "slot__stage", "slot")
        return self.filter(sealed, slot__isnull=False).exclude(author=person)

    def shown_to(self, person: Any) -> "AnnotationQuerySet":
        sealed = sealed_from(person, "item", "slot__round", "slot__stage", "slot")
        return self.exclude(~Q(author=person) & Q(slot__isnull=False) & sealed)

    def in_the_open(self) -> "AnnotationQuerySet":
        """Excludes what is still hidden from anybody doing the same work: for figures and files that all people see."""
        same = Slot.objects.filter(item=OuterRef("item"), round=OuterRef("slot__round"))
        sibling_texts = same.filter(stage=OuterRef("slot__stage")).exclude(pk=OuterRef("slot"))
        dispute = same.filter(stage=Slot.Stage.ADJUDICATE).open()
        return self.exclude(Exists(sibling_texts.unfinished())).exclude(Exists(sibling_texts) & Exists(dispute))


class Annotation(models.Model):
    """Text of one person, a model, or an imported rater: a draft until submitted, frozen after."""

    class Outcome(models.TextChoices):
        ANNOTATED = "annotated", _("annotated")
        UNSUITABLE = "unsuitable", _("marked unusable")
        ACCEPTED = "accepted", _("accepted unchanged")
        FIXED = "fixed", _("fixed and accepted")
        RETURNED = "returned", _("returned")
        DROPPED = "dropped", _("dropped")
        REVISED = "revised", _("changed, needs review")

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="annotations", db_index=False)
    slot = models.ForeignKey(Slot, models.CASCADE, null=True, blank=True, related_name="annotations", db_index=False)
    author = models.ForeignKey("annotate.User", models.PROTECT, null=True, blank=True, related_name="annotations")
    rater = models.CharField(max_length=80, blank=True)
    model = models.CharField(max_length=120, blank=True)
    run = models.ForeignKey("annotate.Run", models.SET_NULL, null=True, blank=True, related_name="annotations")
    simulated = models.BooleanField(default=False)
    prompt_version = models.CharField(max_length=80, blank=True)
    draft = models.JSONField()
    schema = models.PositiveSmallIntegerField(default=1)
    doubts = models.JSONField(default=list, blank=True)
    # For a suggestion: further values for some fields, [{"label", "draft"}]; for a person's text: which was picked.
    candidates = models.JSONField(default=list, blank=True)
    picked = models.PositiveSmallIntegerField(null=True, blank=True)
    decided = models.JSONField(default=list, blank=True)
    revision = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    authored = models.BooleanField(default=False)
    unchanged = models.BooleanField(default=False)
    note = models.TextField(blank=True)
    # The rest of a decision: {"drop_reason"} or {"reasons": [{"field", "text"[, "span"]}]}; empty where it has none.
    said = models.JSONField(default=dict, blank=True)
    active_seconds = models.PositiveIntegerField(default=0)
    guideline_version = models.PositiveIntegerField(null=True, blank=True)
    suggestion = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now)
    saved_at = models.DateTimeField(default=timezone.now)
    submitted_at = models.DateTimeField(null=True, blank=True)

    objects = AnnotationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["slot", "author"], name="one_annotation_a_slot_and_person", condition=Q(slot__isnull=False)
            ),
            models.CheckConstraint(
                condition=(Q(author__isnull=False) & Q(rater="") & Q(model=""))
                | (Q(author=None) & ~Q(rater="") & Q(model=""))
                | (Q(author=None) & Q(rater="") & ~Q(model="")),
                name="an_annotation_has_exactly_one_origin",
            ),
            models.CheckConstraint(
                condition=Q(submitted_at=None) | Q(author=None) | ~Q(outcome=""),
                name="what_a_person_submitted_has_an_outcome",
            ),
        ]
        # Newest first: with an index on items alone, PostgreSQL searched for it from the end of the whole table.
        indexes = [
            models.Index(fields=["item", "-id"], name="annotations_newest_first"),
            # Drafts that people have not submitted: a few among millions of texts.
            models.Index(
                fields=["submitted_at", "author", "slot"],  # the first for SQLite, as with the slots that are held
                name="unfinished_drafts",
                condition=Q(submitted_at__isnull=True, author__isnull=False),
            ),
            # Who deletes a text looks for those that began with it.
            models.Index(fields=["suggestion"], name="texts_by_suggestion", condition=Q(suggestion__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.author or self.rater or self.model} on {self.item_id}"

    @property
    def by_machine(self) -> bool:
        return self.model != ""

    @property
    def by(self) -> str:
        return str(self.author) if self.author else self.rater or self.model


class Skip(models.Model):
    """An item that a person returned for good; it is never handed to them again."""

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="skips")
    person = models.ForeignKey("annotate.User", models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=14, choices=SKIP_REASONS)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "person"], name="a_person_skips_an_item_once")]

    def __str__(self) -> str:
        return f"{self.person_id} skipped {self.item_id}"


class SetAside(models.Model):
    """A text that was not kept when two windows had changed one draft; stored, so that choosing never loses text."""

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="set_aside")
    draft = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"set aside of {self.annotation_id}"
