"""Files that rows name: pictures and documents, stored once per content in a place of their own."""

import secrets

from django.db import models
from django.db.models import Q
from django.utils import timezone

FILES = "files"  # the format of an import that is a zip of files without rows


def new_link() -> str:
    """The part of a file's address that nobody can guess."""
    return secrets.token_urlsafe(16)


class MediaFile(models.Model):
    """A file of a project under the name that rows give it.

    sha256: of the stored bytes; source_sha256: of the bytes that came, from which images were made anew. type: a MIME
    type, found in the content. width, height: of an image in pixels. animated: only the first picture was kept. batch:
    the import that brought it in a zip.
    """

    project = models.ForeignKey("annotate.Project", models.CASCADE, related_name="media")
    name = models.CharField(max_length=200)
    link = models.CharField(max_length=32, default=new_link, unique=True)
    sha256 = models.CharField(max_length=64)
    source_sha256 = models.CharField(max_length=64)
    type = models.CharField(max_length=40)
    size = models.PositiveBigIntegerField()
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    animated = models.BooleanField(default=False)
    batch = models.ForeignKey("annotate.Batch", models.SET_NULL, null=True, blank=True, related_name="media")
    added_by = models.ForeignKey("annotate.User", models.SET_NULL, null=True, blank=True, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="a_file_name_is_unique_in_its_project"),
            models.CheckConstraint(
                condition=Q(width=None, height=None) | Q(width__gte=1, height__gte=1), name="images_have_both_sides"
            ),
        ]
        indexes = [models.Index(fields=["project", "sha256"], name="files_by_content")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_image(self) -> bool:
        return self.type.startswith("image/")

    @property
    def stored_as(self) -> str:
        """The name in the storage: files of one project with the same content share it."""
        return f"{self.project_id}/{self.sha256[:2]}/{self.sha256}"
