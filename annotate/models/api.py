from django.db import models
from django.utils import timezone


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
