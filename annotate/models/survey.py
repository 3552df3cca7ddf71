"""The public survey: surveys, participants, the cases they report, and what they have withdrawn."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

FIVE = [MinValueValidator(1), MaxValueValidator(5)]


class Survey(models.Model):
    """A project's survey of the public; anybody with its address may answer while it is open.

    questions: all its texts and questions, as annotate/survey/survey_questions.py reads them; {} for the default ones.
    created_by: who created it, then who opened it last; nobody can start answering unless that person may still open
    it.
    """

    project = models.OneToOneField("annotate.Project", models.CASCADE, related_name="survey")
    questions = models.JSONField(default=dict, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"survey of {self.project_id}"

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None


class Participant(models.Model):
    """A person without an account. Their private link holds a token of which only the hash is stored.

    answers: {"age", "profession", "country", "services", "frequency", "satisfaction": {intent: 1..5}, "never_used":
    [intent], "anchor"}, each only if it was answered; empty after a withdrawal.
    """

    class State(models.TextChoices):
        BEGUN = "begun", pgettext_lazy("a participant of a survey", "Started")
        SENT = "sent", _("Sent")
        ASIDE = "aside", _("Excluded (failed attention check)")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="participants")
    token_sha256 = models.CharField(max_length=64, unique=True)
    language = models.CharField(max_length=10)
    state = models.CharField(max_length=9, choices=State, default=State.BEGUN)
    answers = models.JSONField(default=dict, blank=True)
    consented_at = models.DateTimeField(default=timezone.now)
    saved_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state__in=["sent", "aside"]) | Q(sent_at__isnull=False), name="what_was_sent_has_its_time"
            )
        ]

    def __str__(self) -> str:
        return f"participant {self.pk}"


class ReportedCase(models.Model):
    """A conversation with a service. turns: [{"role": "user" | "assistant", "content"}]; item: set once it is sent."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="cases", db_index=False)
    no = models.PositiveSmallIntegerField()
    service = models.CharField(max_length=80, blank=True)
    turns = models.JSONField(default=list, blank=True)
    intent = models.CharField(max_length=120, blank=True)
    difficulty = models.PositiveSmallIntegerField(null=True, blank=True, validators=FIVE)
    satisfaction = models.PositiveSmallIntegerField(null=True, blank=True, validators=FIVE)
    item = models.OneToOneField("annotate.Item", models.SET_NULL, null=True, blank=True, related_name="reported")

    class Meta:
        ordering = ["no"]
        constraints = [models.UniqueConstraint(fields=["participant", "no"], name="a_participant_numbers_cases_once")]

    def __str__(self) -> str:
        return f"case {self.no} of {self.participant_id}"


class Withdrawal(models.Model):
    """A participant's withdrawal of everything; erased in parts, under a lease, until nothing is left."""

    participant = models.OneToOneField(Participant, models.CASCADE, related_name="withdrawal")
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"withdrawal of {self.participant_id}"


class Erasure(models.Model):
    """An item whose texts are erased or will be: a withdrawn case, or an item made from one."""

    withdrawal = models.ForeignKey(Withdrawal, models.CASCADE, related_name="erasures")
    item = models.OneToOneField("annotate.Item", models.CASCADE, related_name="erasure")
    done_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"erasure of {self.item_id}"
