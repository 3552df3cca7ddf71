import hashlib
from collections.abc import Iterable
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotate.prepared import prepared

if TYPE_CHECKING:
    from annotate.kinds.contract import Kind

SHARE = [MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(1))]


class Project(models.Model):
    """One kind of work, its people, its guidelines, its options."""

    slug = models.SlugField(_("address"), max_length=60, unique=True)
    name = models.CharField(_("name"), max_length=120)
    kind_slug = models.SlugField(_("kind"), max_length=40)
    source = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="derived")
    languages = models.JSONField(_("languages"), default=list, blank=True)
    options = models.JSONField(_("labels and rules"), default=dict, blank=True)
    overlap = models.PositiveSmallIntegerField(_("people per item"), default=1, validators=[MinValueValidator(1)])
    overlap_share = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal(1), validators=SHARE)
    reviews = models.PositiveSmallIntegerField(_("reviews per item"), default=1)
    second_share = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal(1), validators=SHARE)
    lease_minutes = models.PositiveSmallIntegerField(_("return an item to the queue after (minutes idle)"), default=30)
    blind_share = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal(0), validators=SHARE)
    waits_for_suggestion = models.BooleanField(_("hold new items until a model has drafted them"), default=False)
    budget = models.DecimalField(max_digits=10, decimal_places=2, null=True, blank=True)
    licence = models.CharField(_("release licence"), max_length=80, blank=True)
    # Of all versions of its questions as data. The database has the default too: older migrations make projects.
    definition_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    paused_reason = models.TextField(_("reason for the pause"), blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(reviews__lte=2), name="a_project_has_at_most_two_reviews"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="an_item_needs_a_person"),
            models.CheckConstraint(condition=Q(overlap=1) | Q(reviews=0), name="an_item_is_overlapped_or_reviewed"),
            models.CheckConstraint(condition=Q(lease_minutes__gte=1), name="a_lease_lasts_a_minute"),
            models.CheckConstraint(condition=Q(paused_at=None) | ~Q(paused_reason=""), name="paused_projects_say_why"),
        ]

    def __str__(self) -> str:
        return self.name

    @cached_property
    def kind(self) -> "Kind":
        from annotate.kinds import find_kind

        kind = find_kind(self.kind_slug)
        if not self.definition_digest:
            return kind
        return kind.by_definition(_definition_texts(self.pk, self.definition_digest))

    @cached_property
    def kind_options(self) -> Any:
        """The kind's options as its typed shape, defaults filled in."""
        return self.kind.options.model_validate(self.options)

    @property
    def paused(self) -> bool:
        return self.paused_at is not None

    @cached_property
    def guideline(self) -> "Guideline | None":
        return _newest_guideline.first(project=self.pk)


class Definition(models.Model):
    """One version of what a project's people look at and are asked, in YAML; never changed after it was saved."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="definitions")
    version = models.PositiveSmallIntegerField()
    text = models.TextField(_("text"))
    note = models.CharField(_("what changed"), max_length=200, blank=True)
    author = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="a_definition_version_is_unique")]

    def __str__(self) -> str:
        return f"questions of {self.project_id} v{self.version}"


def definition_digest(texts: Iterable[str], digest: str = "") -> str:
    """SHA-256 over the versions of a definition, each with the digest of those before. digest: of earlier ones."""
    for text in texts:
        digest = hashlib.sha256(f"{digest}\n{text}".encode()).hexdigest()
    return digest


@lru_cache(maxsize=256)
def _definition_texts(project: int, digest: str) -> tuple[str, ...]:
    """The versions with this digest, oldest first; a version that was saved meanwhile is not one of them."""
    texts: list[str] = []
    reached = ""
    versions = Definition.objects.filter(project=project).order_by("version").values_list("text", flat=True)
    for text in versions:
        texts.append(text)
        reached = definition_digest([text], reached)
        if reached == digest:
            return tuple(texts)
    raise LookupError(f"The definition of project {project} is not the one that it names; restore a backup.")


class Guideline(models.Model):
    """One version of a project's guidelines, in Markdown; never changed after it was saved."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField(_("text"))
    note = models.CharField(_("what changed"), max_length=200, blank=True)
    author = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-version"]
        constraints = [models.UniqueConstraint(fields=["project", "version"], name="a_guideline_version_is_unique")]

    def __str__(self) -> str:
        return f"{self.project_id} v{self.version}"


@prepared
def _newest_guideline(project: int) -> models.QuerySet[Guideline]:
    return Guideline.objects.filter(project=project).order_by("-version")[:1]


class Reopening(models.Model):
    """Accepted items that a lead reopens because a new version of the guidelines, or of the project's own questions,
    made them stale; in parts, under a lease.

    selection: what was chosen, as `{"ids": [...]}` or as the filters of the list. at: the last item seen. reopened,
    taken_back: counts; left_out: reason -> count. note: written into the history of each item.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("being reopened")
        DONE = "done", _("reopened")
        LEAVING = "leaving", _("being taken back")
        TAKEN_BACK = "back", _("taken back")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="reopenings")
    guideline = models.ForeignKey(
        "annotate.Guideline", models.CASCADE, null=True, blank=True, related_name="reopenings"
    )
    definition = models.ForeignKey(
        "annotate.Definition", models.CASCADE, null=True, blank=True, related_name="reopenings"
    )
    selection = models.JSONField(default=dict)
    note = models.TextField(blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    at = models.PositiveBigIntegerField(default=0)
    reopened = models.PositiveIntegerField(default=0)
    taken_back = models.PositiveIntegerField(default=0)
    left_out = models.JSONField(default=dict, blank=True)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "leaving"], ended_at=None)
                | Q(state__in=["done", "back"], ended_at__isnull=False),
                name="an_ended_reopening_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(guideline=None, definition__isnull=False) | Q(guideline__isnull=False, definition=None),
                name="a_reopening_has_one_cause",
            ),
        ]

    def __str__(self) -> str:
        return f"reopening {self.pk} in {self.project_id}"

    @property
    def cause(self) -> "Guideline | Definition":
        """The version that made its items stale."""
        cause = self.guideline or self.definition
        assert cause is not None  # a_reopening_has_one_cause
        return cause


class SavedView(models.Model):
    """A saved view of a page: the name of its address, and its query string."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="saved_views")
    owner = models.ForeignKey("annotate.User", models.CASCADE, related_name="+")
    name = models.CharField(_("name"), max_length=80)
    page = models.CharField(max_length=40)
    query = models.CharField(max_length=500, blank=True)
    shared = models.BooleanField(_("for everyone in the project"), default=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "owner", "page", "name"], name="a_saved_view_is_there_once")
        ]

    def __str__(self) -> str:
        return self.name
