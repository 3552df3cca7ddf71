"""Authors who answered the items of a project, their answers, and the ballots on which people vote about those.

A ballot says which answers a vote item shows and who wrote them, which the facts of the item never name.
"""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Author(models.Model):
    """A person or model whose answers are judged or serve as references."""

    class Sort(models.TextChoices):
        MODEL = "model", _("Model")
        PERSON = "person", _("Person")
        GOLD = "gold", _("Gold answer")
        PERTURBED = "perturbed", _("Perturbed answer")
        REFERENCE = "reference", _("Reference answer")
        SEARCH = "search", _("Search engine or other service")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="authors", db_index=False)
    name = models.CharField(_("name"), max_length=120)
    sort = models.CharField(_("type"), max_length=9, choices=Sort, default=Sort.MODEL)
    family = models.CharField(_("family"), max_length=80, blank=True)
    provider = models.CharField(_("provider"), max_length=80, blank=True)
    # The author whose answers this one corrects, as `x+correction` corrects those of x.
    corrects = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="corrections")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="an_author_is_there_once")]

    def __str__(self) -> str:
        return self.name


class AnswerQuerySet(models.QuerySet["Answer"]):
    def current(self) -> "AnswerQuerySet":
        """The newest version of each author's sample; older ones are kept, and verdicts about them are outdated."""
        newer = Answer.objects.filter(
            item=OuterRef("item"), author=OuterRef("author"), sample=OuterRef("sample"), version__gt=OuterRef("version")
        )
        return self.filter(~Exists(newer))


class Answer(models.Model):
    """A candidate's response to an item. Never changed: a different text is a new version.

    text: "" while only judgements of it are known (`known` is False then); the first file that has it fills it in.
    note: what was odd about it, such as an older wording of the question that it answered.
    """

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="answers", db_index=False)
    author = models.ForeignKey(Author, models.CASCADE, related_name="answers", db_index=False)
    sample = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    version = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    text = models.TextField(blank=True)
    known = models.BooleanField(default=True)
    note = models.TextField(blank=True)
    simulated = models.BooleanField(default=False)
    # The origin: a job of a run, or the name of an imported file.
    job = models.ForeignKey("annotate.Job", models.SET_NULL, null=True, blank=True, related_name="answers")
    source = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = AnswerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "author", "sample", "version"], name="an_answer_is_one_version_of_a_sample"
            ),
            models.CheckConstraint(
                condition=models.Q(known=True) | models.Q(text=""), name="unknown_answers_are_empty"
            ),
        ]
        indexes = [models.Index(fields=["author", "item"], name="answers_by_author")]

    def __str__(self) -> str:
        return f"{self.author_id} on {self.item_id}"


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
