"""Calibration and hidden checks that a project requires, questions with the lead's rulings, and disputes."""

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.models.projects import SHARE


class Readiness(models.Model):
    """What a project asks of a person before and during work. A project without a row asks nothing.

    calibration_each: calibration items of each group that a person works before the queue opens; 0 asks for none.
    passes_at: the share of fields that must be as expected. check_share: the share of handed-out work that is gold or
    attention items. floor: below this share of the last `window` checks a person is paused.
    """

    class By(models.TextChoices):
        EXPECTED = "expected", _("The expected answers")
        REVIEW = "review", _("A lead's review")

    project = models.OneToOneField("annotate.Project", models.CASCADE, related_name="readiness")
    calibration_each = models.PositiveSmallIntegerField(_("calibration items per group"), default=0)
    calibration_by = models.CharField(_("who can start"), max_length=8, choices=By, default=By.EXPECTED)
    passes_at = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal("0.8"), validators=SHARE)
    check_share = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal(0), validators=SHARE)
    window = models.PositiveSmallIntegerField(_("checks that count"), default=10, validators=[MinValueValidator(1)])
    floor = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal(0), validators=SHARE)

    def __str__(self) -> str:
        return f"readiness in {self.project_id}"


class Precedent(models.Model):
    """A question about a field, with the lead's ruling: shown wherever a similar case is decided again.

    item: where it came up; group: "" if the ruling is for all groups. ruling: "" while it is open.
    """

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="precedents")
    item = models.ForeignKey("annotate.Item", models.SET_NULL, null=True, blank=True, related_name="precedents")
    field = models.CharField(_("field"), max_length=80)
    group = models.CharField(_("group"), max_length=120, blank=True)
    question = models.TextField(_("question"))
    asked_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    asked_at = models.DateTimeField(default=timezone.now)
    ruling = models.TextField(_("ruling"), blank=True)
    ruled_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    ruled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ruling="", ruled_at=None) | ~Q(ruling="") & Q(ruled_at__isnull=False),
                name="a_ruling_has_its_time",
            )
        ]
        indexes = [models.Index(fields=["project", "field"], name="precedents_by_field")]

    def __str__(self) -> str:
        return self.question[:60]


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


class Dispute(models.Model):
    """An author's objection to the decision about their text: once for each text, decided by somebody other than the
    first decider.

    annotation: theirs, as they submitted it.
    """

    class Decision(models.TextChoices):
        UPHELD = "upheld", _("The decision stays")
        CHANGED = "changed", _("The author is right")

    annotation = models.OneToOneField("annotate.Annotation", models.CASCADE, related_name="dispute")
    reason = models.TextField(_("why you disagree"))
    created_at = models.DateTimeField(default=timezone.now)
    decision = models.CharField(max_length=7, choices=Decision, blank=True)
    answer = models.TextField(_("answer"), blank=True)
    decided_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(decision="", decided_at=None) | ~Q(decision="") & Q(decided_at__isnull=False),
                name="a_decided_dispute_has_its_time",
            )
        ]

    def __str__(self) -> str:
        return f"dispute of {self.annotation_id}"
