"""Judges and their verdicts: one verdict for each time that one answer, or two, were shown, with its parts."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

NOT_FENCED = "not-fenced"  # in a judge's variant, followed by a hash: the judge was asked in raw messages


def is_not_fenced(judge_name: str) -> bool:
    """Whether a judge of this variant or full name got the judged texts without a fence in its messages."""
    return any(word.partition("=")[0] == NOT_FENCED for word in judge_name.split())


def fingerprint(identity: Mapping[str, Any] | Sequence[str]) -> str:
    """Twelve hexadecimal digits; equal for equal values, whatever the order of their names."""
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


class Judge(models.Model):
    """A model asked in exactly one way: the unit in which verdicts are reported and compared.

    name: the model, as its service or the file calls it. strategy: how it was asked; free text for imported ones.
    variant: the options that make its verdicts incomparable with others, such as `scale=1-5`; "" for the usual ones.
    version: 1, 2, … among judges of equal name, strategy and variant that differ in anything else of their identity.
    identity: see judging.verdicts.judge_identity; {} for a judge known from files only. Never changed once it has
    verdicts. fingerprint: its hash. scale_low, scale_top: of its scores; None if its strategy names no scale.
    """

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="judges", db_index=False)
    name = models.CharField(_("name"), max_length=120)
    strategy = models.CharField(_("strategy"), max_length=80)
    variant = models.CharField(_("variant"), max_length=120, blank=True)
    version = models.PositiveSmallIntegerField(_("version"), default=1, validators=[MinValueValidator(1)])
    identity = models.JSONField(default=dict, blank=True)
    fingerprint = models.CharField(_("fingerprint"), max_length=12)
    scale_low = models.PositiveSmallIntegerField(null=True, blank=True)
    scale_top = models.PositiveSmallIntegerField(null=True, blank=True)
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name", "strategy", "variant", "version"]
        constraints = [
            models.UniqueConstraint(fields=["project", "fingerprint"], name="a_judge_is_there_once"),
            models.UniqueConstraint(
                fields=["project", "name", "strategy", "variant", "version"], name="a_version_of_a_judge_is_there_once"
            ),
        ]

    def __str__(self) -> str:
        return " · ".join(filter(None, [self.name, self.asked]))

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A judge without an identity is what its name, strategy and variant say."""
        self.fingerprint = self.fingerprint or fingerprint([self.name, self.strategy, self.variant])
        super().save(*args, **kwargs)

    @property
    def asked(self) -> str:
        """How it is asked: its name without the model. The first version bears no number."""
        number = f"v{self.version}" if self.version > 1 else ""
        return " · ".join(filter(None, [self.strategy, self.variant, number]))

    @property
    def unversioned(self) -> str:
        """The name that all of its versions share."""
        return " · ".join(filter(None, [self.name, self.strategy, self.variant]))

    @property
    def not_fenced(self) -> bool:
        """Also true for a judge whose full name was imported from a file of battles as its name."""
        return is_not_fenced(f"{self.name} {self.variant}")


class JudgeRun(models.Model):
    """The judge to whom the verdicts of a run belong.

    format_known: the format in which its replies were really asked for is part of the judge's identity.
    """

    run = models.OneToOneField("annotate.Run", models.CASCADE, primary_key=True, related_name="judge_run")
    judge = models.ForeignKey(Judge, models.CASCADE, related_name="judge_runs")
    format_known = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.run_id} by {self.judge_id}"


class VerdictQuerySet(models.QuerySet["Verdict"]):
    def read(self) -> "VerdictQuerySet":
        return self.filter(reading=Verdict.Reading.OK)

    def single(self) -> "VerdictQuerySet":
        return self.filter(second=None)

    def pairwise(self) -> "VerdictQuerySet":
        return self.filter(second__isnull=False)


class Verdict(models.Model):
    """What a judge said when it was shown a case once. Never changed.

    first, second: the answers as the judge's labels mean them after swaps were undone; second is null for a single
    answer. swapped: it saw the second one first. repeat: 1, 2, … if it was asked several times.
    score_first, score_second: None if the strategy gives no number or nothing could be read.
    top: the highest score of the scale if the answer was scored with a reference; None otherwise, and if only the
    strategy's options say it. found_in_explanation: whether the reason names a mistake; None if nobody looked.
    found_from: what a reader of ours was shown for that; "" if nobody looked, or if a file says it.
    case_sha: of what it saw apart from the answers; the verdict is outdated if the item's digest is different today.
    """

    class Choice(models.TextChoices):
        FIRST = "first", _("First")
        SECOND = "second", _("Second")
        BOTH_GOOD = "both_good", _("Both good")
        BOTH_BAD = "both_bad", _("Both bad")
        TIE = "tie", _("Tie")

    class Reading(models.TextChoices):
        OK = "ok", _("Read")
        UNPARSED = "unparsed", _("Not readable")
        FAILED = "failed", _("Call failed")

    class FoundFrom(models.TextChoices):
        EXPLANATION_ONLY = "explanation-only", _("Explanation and score only")
        ANSWERS_AND_QUOTE = "answers-and-quote", _("Both answers, and a quote")

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="verdicts", db_index=False)
    job = models.ForeignKey("annotate.Job", models.CASCADE, null=True, blank=True, related_name="verdicts")
    source = models.CharField(max_length=255, blank=True)  # the imported file; "" for our own runs
    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="verdicts", db_index=False)
    case_sha = models.CharField(max_length=64)
    first = models.ForeignKey("judging.Answer", models.CASCADE, related_name="verdicts", db_index=False)
    second = models.ForeignKey(
        "judging.Answer", models.CASCADE, null=True, blank=True, related_name="verdicts_as_second"
    )
    reference = models.ForeignKey(
        "judging.Answer", models.SET_NULL, null=True, blank=True, related_name="verdicts_as_reference"
    )
    swapped = models.BooleanField(default=False)
    repeat = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    reading = models.CharField(max_length=8, choices=Reading, default=Reading.OK)
    score_first = models.FloatField(null=True, blank=True)
    score_second = models.FloatField(null=True, blank=True)
    choice = models.CharField(max_length=9, choices=Choice, blank=True)
    top = models.FloatField(null=True, blank=True)
    found_in_explanation = models.BooleanField(null=True, blank=True)
    found_from = models.CharField(max_length=20, choices=FoundFrom, blank=True)
    reason = models.TextField(blank=True)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = VerdictQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["job", "first", "repeat"],
                name="a_job_judges_an_answer_once",
                condition=Q(second=None, job__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["job", "first", "second", "swapped", "repeat"],
                name="a_job_judges_a_pair_once_an_order",
                condition=Q(second__isnull=False, job__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["judge", "first", "repeat"],
                name="an_imported_verdict_is_there_once",
                condition=Q(second=None, job=None, top=None),
            ),
            # The same judge may have scored an answer alone and beside a reference.
            models.UniqueConstraint(
                fields=["judge", "first", "repeat"],
                name="an_imported_verdict_beside_a_reference_is_there_once",
                condition=Q(second=None, job=None, top__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["judge", "first", "second", "swapped", "repeat"],
                name="an_imported_pair_is_there_once_an_order",
                condition=Q(second__isnull=False, job=None),
            ),
            models.CheckConstraint(
                condition=Q(reading="ok") | Q(score_first=None, score_second=None, choice=""),
                name="what_was_not_read_has_no_score",
            ),
            models.CheckConstraint(condition=Q(second__isnull=False) | Q(swapped=False), name="only_pairs_are_swapped"),
        ]
        indexes = [
            models.Index(fields=["judge", "item"], name="verdicts_by_judge"),
            models.Index(fields=["item"], name="verdicts_by_item"),
            models.Index(fields=["first"], name="verdicts_by_answer"),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} on {self.first_id}"


class Part(models.Model):
    """One criterion, axis or checklist question of a verdict.

    axis: its name within the case; for a checklist the number of the question, from 1. label: as the judge wrote it.
    score_first, score_second: 1 or 0 for a question that is met or not; None if nothing was said about it.
    joined: how it was matched; anything but `exact` is flagged to people.
    """

    class Joined(models.TextChoices):
        EXACT = "exact", _("word for word")
        POSITION = "position", _("by its position")
        CLOSE = "close", _("by similarity")
        NONE = "none", _("not mentioned by the judge")
        SURPLUS = "surplus", _("fits no question")

    verdict = models.ForeignKey(Verdict, models.CASCADE, related_name="parts", db_index=False)
    axis = models.CharField(max_length=120)
    label = models.TextField(blank=True)
    score_first = models.FloatField(null=True, blank=True)
    score_second = models.FloatField(null=True, blank=True)
    weight = models.FloatField(null=True, blank=True)
    reason = models.TextField(blank=True)
    joined = models.CharField(max_length=8, choices=Joined, default=Joined.EXACT)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["verdict", "axis"], name="a_part_is_there_once")]

    def __str__(self) -> str:
        return f"{self.axis} of {self.verdict_id}"


class ExplanationLabel(models.Model):
    """Whether one person finds the mistake named in a judge's explanation. found: None for "cannot tell"."""

    verdict = models.ForeignKey("judging.Verdict", models.CASCADE, related_name="explanation_labels", db_index=False)
    person = models.ForeignKey("annotate.User", models.CASCADE, related_name="+")
    found = models.BooleanField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["verdict", "person"], name="a_person_labels_an_explanation_once")
        ]

    def __str__(self) -> str:
        return f"label of {self.verdict_id}"
