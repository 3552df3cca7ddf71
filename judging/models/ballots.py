"""Ballots: the answers that a vote item shows and their authors, which its facts never name; and studies."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Study(models.Model):
    """One draw of answers, or pairs of them, for people to vote on.

    source: the project whose decided items were drawn; project: the one in which people vote. The draw is repeatable:
    options and seed say all of it. options: what was asked for, such as {"items": 194, "authors": [...], "by": "task"};
    counts: what came of it, such as {"items", "answers", "left_out": {reason: n}}.
    """

    source = models.ForeignKey("annotate.Project", models.CASCADE, related_name="studies")
    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="drawn_in")
    name = models.CharField(_("name"), max_length=120)
    seed = models.BigIntegerField()
    options = models.JSONField(default=dict)
    counts = models.JSONField(default=dict)
    closed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class Ballot(models.Model):
    """One vote item: an answer, or a pair of them.

    first, second: in the order of the vote item's facts, which was drawn with `seed`; second is null for one answer.
    study: None for votes that were imported.
    """

    item = models.OneToOneField("annotate.Item", models.CASCADE, related_name="ballot")
    study = models.ForeignKey(Study, models.CASCADE, null=True, blank=True, related_name="ballots")
    first = models.ForeignKey("judging.Answer", models.CASCADE, related_name="ballots")
    second = models.ForeignKey(
        "judging.Answer", models.CASCADE, null=True, blank=True, related_name="ballots_as_second"
    )
    seed = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(second=None) | ~Q(first=models.F("second")), name="a_pair_is_of_two_answers"
            )
        ]

    def __str__(self) -> str:
        return f"ballot of {self.item_id}"
