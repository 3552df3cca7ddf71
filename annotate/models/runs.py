"""Work done by models: endpoints, prompts, runs with their jobs, and the ledger of calls."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

LEAST_ONE = [MinValueValidator(1)]
NOT_NEGATIVE = [MinValueValidator(Decimal(0))]


class Endpoint(models.Model):
    """A model service that speaks the OpenAI protocol. Its key stays in the environment; only its name is kept here."""

    class Effort(models.TextChoices):
        NONE = "none", _("none")
        MINIMAL = "minimal", _("minimal")
        LOW = "low", _("low")
        MEDIUM = "medium", _("medium")
        HIGH = "high", _("high")
        HIGHEST = "xhigh", _("very high")

    name = models.SlugField(_("name"), max_length=60, unique=True)
    base_url = models.CharField(_("base URL"), max_length=300)
    model = models.CharField(_("model"), max_length=120)
    key_env = models.CharField(_("environment variable with the key"), max_length=80, blank=True)
    price_in = models.DecimalField(
        _("USD per million input tokens"), max_digits=10, decimal_places=4, default=Decimal(0), validators=NOT_NEGATIVE
    )
    price_out = models.DecimalField(
        _("USD per million output tokens"), max_digits=10, decimal_places=4, default=Decimal(0), validators=NOT_NEGATIVE
    )
    max_in_flight = models.PositiveIntegerField(_("concurrent calls"), default=16, validators=LEAST_ONE)
    requests_a_minute = models.PositiveIntegerField(
        _("requests per minute"), null=True, blank=True, validators=LEAST_ONE
    )
    tokens_a_minute = models.PositiveIntegerField(_("tokens per minute"), null=True, blank=True, validators=LEAST_ONE)
    deadline = models.PositiveIntegerField(
        _("timeout per call (seconds)"), default=120, validators=[*LEAST_ONE, MaxValueValidator(3600)]
    )
    attempts = models.PositiveSmallIntegerField(
        _("attempts per step"), default=4, validators=[*LEAST_ONE, MaxValueValidator(20)]
    )
    context_length = models.PositiveIntegerField(_("context length"), null=True, blank=True, validators=LEAST_ONE)
    strict_json = models.BooleanField(_("supports json_schema"), default=True)
    takes_images = models.BooleanField(_("takes images"), default=False)
    api_version = models.CharField(_("API version"), max_length=40, blank=True)
    # Parameters that are sent with every question; they take precedence over those of its step.
    temperature = models.FloatField(
        _("temperature"), null=True, blank=True, validators=[*NOT_NEGATIVE, MaxValueValidator(2)]
    )
    top_p = models.FloatField("top_p", null=True, blank=True, validators=[*NOT_NEGATIVE, MaxValueValidator(1)])
    seed = models.BigIntegerField(_("seed"), null=True, blank=True, validators=NOT_NEGATIVE)
    reasoning_effort = models.CharField(_("reasoning effort"), max_length=10, blank=True, choices=Effort)
    max_tokens = models.PositiveIntegerField(_("max tokens per reply"), null=True, blank=True, validators=LEAST_ONE)
    extra_body = models.JSONField(_("extra body"), default=dict, blank=True)
    # Names that an extra body may hold, here and in runs; written by administrators only.
    extra_allowed = models.JSONField(_("names allowed in the extra body"), default=list, blank=True)
    # Learned from the service's own answers (see annotate.engine.capabilities), and its messages when it refused.
    capabilities = models.JSONField(default=dict, blank=True, editable=False)
    refusals = models.JSONField(default=list, blank=True, editable=False)
    simulated = models.BooleanField(_("simulated"), default=False)
    # True if created by the command or by code. In the browser: False, and its origin has to be in MODEL_ORIGINS.
    approved = models.BooleanField(_("approved by the server administrator"), default=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_priced(self) -> bool:
        return bool(self.price_in or self.price_out)


class Place(models.Model):
    """Concurrent calls that one worker may have at an endpoint: the shares add up to its `max_in_flight`."""

    endpoint = models.ForeignKey(Endpoint, models.CASCADE, related_name="places")
    worker = models.UUIDField(unique=True)
    count = models.PositiveIntegerField()
    lease_until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.count} at {self.endpoint_id}"


class Minute(models.Model):
    """What was sent to an endpoint in one minute, by all workers together."""

    endpoint = models.ForeignKey(Endpoint, models.CASCADE, related_name="minutes", db_index=False)
    minute = models.DateTimeField()
    requests = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["endpoint", "minute"], name="a_minute_is_counted_once")]

    def __str__(self) -> str:
        return f"{self.endpoint_id} {self.minute:%H:%M}"


class PromptVersion(models.Model):
    """One wording of one prompt, never changed after it was saved. Without a project: a shipped wording."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, null=True, blank=True, related_name="prompts")
    scope = models.CharField(_("kind or strategy"), max_length=80)
    step = models.CharField(_("step"), max_length=80)
    language = models.CharField(_("language"), max_length=12)
    number = models.PositiveIntegerField(_("version"))
    text = models.TextField(_("text"))
    sha256 = models.CharField(max_length=64)
    note = models.CharField(_("what changed"), max_length=200, blank=True)
    # False: written to be tried on a few items; runs are not planned with it.
    adopted = models.BooleanField(_("in use"), default=True)
    author = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["scope", "step", "language", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "scope", "step", "language", "number"],
                name="a_prompt_version_is_unique",
                condition=Q(project__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["scope", "step", "language", "number"],
                name="a_shipped_prompt_is_unique",
                condition=Q(project=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.step}/{self.language} v{self.number}"


class RunQuerySet(models.QuerySet["Run"]):
    def running(self) -> "RunQuerySet":
        return self.filter(state=Run.State.RUNNING)


class Run(models.Model):
    """One planned batch of model work: its jobs, its budget, its progress."""

    class State(models.TextChoices):
        PLANNING = "planning", _("Being planned")
        PLANNED = "planned", _("Planned")
        RUNNING = "running", _("Running")
        PAUSED = "paused", _("Paused")
        CANCELLED = "cancelled", _("Cancelled")
        FINISHED = "finished", _("Finished")

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="runs")
    purpose = models.CharField(_("purpose"), max_length=40)
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="runs")
    options = models.JSONField(default=dict, blank=True)
    # Temperature and other parameters for every question of the run; see annotate.engine.endpoints.Parameters.
    parameters = models.JSONField(default=dict, blank=True)
    prompts = models.ManyToManyField(PromptVersion, related_name="runs", blank=True)
    # The guidelines that its models read besides the prompts; None if they read none.
    guideline = models.ForeignKey("annotate.Guideline", models.SET_NULL, null=True, blank=True, related_name="+")
    # The texts inside those prompts, such as rubrics, that it was planned with.
    texts = models.ManyToManyField(PromptVersion, related_name="runs_with_text", blank=True)
    budget = models.DecimalField(
        _("budget in USD"), max_digits=12, decimal_places=4, null=True, blank=True, validators=NOT_NEGATIVE
    )
    shares_replies = models.BooleanField(_("reuse identical requests (cache)"), default=False)
    state = models.CharField(max_length=9, choices=State, default=State.PLANNING)
    # Why it paused automatically, with the causes of failed jobs; empty if a person paused it.
    cause = models.CharField(max_length=20, blank=True)
    detail = models.TextField(blank=True)
    # Sums over the ledger, updated in the transaction that writes the calls, so that a page need not sum a large run.
    calls = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=16, decimal_places=8, default=Decimal(0))
    # The highest price of calls in flight, and of calls whose price is unknown.
    reserved = models.DecimalField(max_digits=16, decimal_places=8, default=Decimal(0))
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    # Who is notified of its end: the person who started or resumed it last; None if only commands did.
    started_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state"], name="runs_at_work", condition=Q(state="running"))]

    def __str__(self) -> str:
        return f"{self.purpose} {self.pk}"


class Probing(models.Model):
    """The start of a run whose service has not answered yet: the first calls of all workers together."""

    run = models.OneToOneField(Run, models.CASCADE, related_name="probing")
    sent = models.PositiveSmallIntegerField(default=0)
    refused = models.PositiveSmallIntegerField(default=0)
    # The common cause of the refusals.
    cause = models.CharField(max_length=20, blank=True)
    detail = models.TextField(blank=True)
    # Time of the first call, or of the last refusal.
    since = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.sent} sent, {self.refused} refused"


class Pass(models.Model):
    """Work over all jobs of a run that sends nothing: planning it, or reading its replies again.

    The holder of its lease does it in parts, so that another worker can continue it.
    """

    class Sort(models.TextChoices):
        PLANNING = "planning", _("Planning")
        REREADING = "rereading", _("Reparsing")

    run = models.ForeignKey(Run, models.CASCADE, related_name="passes", db_index=False)
    sort = models.CharField(max_length=9, choices=Sort)
    # Options of the request: the `limit` of a planning.
    options = models.JSONField(default=dict, blank=True)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)  # how many workers have begun it
    at = models.PositiveBigIntegerField(default=0)  # the last job that was read again
    done = models.PositiveIntegerField(default=0)  # jobs done
    total = models.PositiveIntegerField(null=True, blank=True)  # None until they are counted
    result = models.JSONField(default=dict, blank=True)
    detail = models.CharField(max_length=300, blank=True)  # why it ended too early
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run"], condition=Q(ended_at__isnull=True), name="one_pass_goes_over_a_run_at_a_time"
            )
        ]
        indexes = [models.Index(fields=["run", "id"], name="passes_of_a_run")]

    def __str__(self) -> str:
        return f"{self.sort} of {self.run_id}"


class JobQuerySet(models.QuerySet["Job"]):
    def claimable(self, now: object) -> "JobQuerySet":
        """Waiting, or taken by a worker whose lease has run out."""
        return self.filter(Q(state=Job.State.PENDING) | Q(state=Job.State.LEASED, lease_until__lt=now))

    def open(self) -> "JobQuerySet":
        return self.filter(state__in=[Job.State.PENDING, Job.State.LEASED])


class Job(models.Model):
    """One unit of a run, such as one item. `subject` is its name given by the planner, unique in the run."""

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        LEASED = "leased", _("In progress")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    run = models.ForeignKey(Run, models.CASCADE, related_name="jobs", db_index=False)
    subject = models.CharField(max_length=200)
    item = models.ForeignKey("annotate.Item", models.SET_NULL, null=True, blank=True, related_name="jobs")
    state = models.CharField(max_length=9, choices=State, default=State.PENDING)
    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    cause = models.CharField(max_length=20, blank=True)
    detail = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "subject"], name="a_subject_is_planned_once"),
            models.CheckConstraint(
                condition=(Q(state="failed") & ~Q(cause="")) | (~Q(state="failed") & Q(cause="")),
                name="failed_jobs_say_why",
            ),
            models.CheckConstraint(
                condition=~Q(state="leased") | (Q(token__isnull=False) & Q(lease_until__isnull=False)),
                name="a_leased_job_has_token_and_lease",
            ),
        ]
        indexes = [models.Index(fields=["run", "state", "id"], name="jobs_by_state")]

    def __str__(self) -> str:
        return f"{self.run_id}/{self.subject}"


class Call(models.Model):
    """One request: written before it is sent, completed with the result. Nothing of it ever changes after that."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="calls", db_index=False)
    step = models.CharField(max_length=80)
    attempt = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    request = models.JSONField()
    # None while in flight, and forever if the process was killed; "" for a reply that could be read.
    cause = models.CharField(max_length=20, null=True, blank=True)  # noqa: DJ001 - three states: open, read, failed
    detail = models.TextField(blank=True)
    reply = models.TextField(blank=True)
    # The model's reasoning, if the service returns it apart from the answer.
    reasoning = models.TextField(blank=True)
    # How it was asked: parameters, reply format, role of instructions. None: the call is older than this column.
    sent = models.JSONField(null=True, blank=True)
    # The service named what it does not take and was asked in another way: this is no attempt of the step.
    adapted = models.BooleanField(default=False, db_default=False)
    finish_reason = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=120, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=8, default=Decimal(0))
    # Its highest price, until its price is known; only if the run has a budget.
    reserved = models.DecimalField(max_digits=14, decimal_places=8, default=Decimal(0))
    sent_at = models.DateTimeField(default=timezone.now)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "step", "attempt"], name="an_attempt_is_there_once")]
        indexes = [models.Index(fields=["digest"], name="calls_by_digest", condition=Q(cause=""))]

    def __str__(self) -> str:
        return f"{self.job_id}/{self.step}/{self.attempt}"

    @property
    def was_read(self) -> bool:
        return self.cause == ""
