"""Saved views of pages: filters, order and columns under a name."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


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
