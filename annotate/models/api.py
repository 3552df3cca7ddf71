"""What programs use: API tokens, idempotent requests, and webhooks."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """A program's key to one project, with a role. Only its hash is stored."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=80)
    role = models.CharField(_("role"), max_length=9)
    sha256 = models.CharField(max_length=64, unique=True)
    starts_with = models.CharField(max_length=12)
    created_by = models.ForeignKey("annotate.User", models.CASCADE, related_name="tokens")
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class Repeatable(models.Model):
    """A creating request with an idempotency key from its client; a repetition gets the same answer.

    status is empty while the request is being processed, and forever if the process was killed meanwhile.
    """

    token = models.ForeignKey("annotate.ApiToken", models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="a_key_of_a_client_is_worked_once")]
        indexes = [models.Index(fields=["created_at"], name="repeatable_by_age")]

    def __str__(self) -> str:
        return self.key


class Webhook(models.Model):
    """An address that is told what happens in a project, each message signed with its secret."""

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="webhooks")
    url = models.CharField(_("address"), max_length=300)
    secret = models.CharField(max_length=80)
    events = models.JSONField(_("events"), default=list)
    active = models.BooleanField(default=True)
    created_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One message to one webhook, and how often it was tried."""

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    body = models.JSONField()
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    lease_until = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(F("due_at"), name="deliveries_due", condition=Q(due_at__isnull=False))]

    def __str__(self) -> str:
        return f"{self.event} {self.pk}"
