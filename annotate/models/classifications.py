from django.db import models
from django.utils import timezone


class Classification(models.Model):
    """A model's label for an item, from its first look. It is never a suggestion: nobody is shown it as a draft."""

    item = models.ForeignKey("annotate.Item", models.CASCADE, related_name="classifications")
    run = models.ForeignKey("annotate.Run", models.CASCADE, related_name="classifications", db_index=False)
    label = models.CharField(max_length=240)  # in the taxonomy's spelling, parts joined by ";"; else the model's
    group = models.CharField(max_length=120)  # its first part, the task
    listed = models.BooleanField(default=True)  # the label was in the project's taxonomy
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item"], name="a_run_classifies_an_item_once")]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.label}"
