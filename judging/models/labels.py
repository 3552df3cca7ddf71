"""Labels of people who check what a model has read."""

from django.db import models
from django.utils import timezone


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
