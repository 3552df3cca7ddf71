"""Tags that show stored files by the names that rows give them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template import Context

from annotate.media.queries import files_by_name
from annotate.models import Item, MediaFile
from lib.media import file_names

register = template.Library()
TYPE_NAMES = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/webp": "WebP",
    "image/gif": "GIF",
    "application/pdf": "PDF",
    "audio/mpeg": "MP3",
    "audio/wav": "WAV",
}


@register.simple_tag(takes_context=True)
def files_of(context: Context, parts: Sequence[Any]) -> Mapping[str, MediaFile]:
    """name -> file, of those that parts of the material name and the project has; one query where there are any."""
    item: Item = context["item"]
    names = [name for part in parts for name in part.file_names]
    return files_by_name(item.project, names) if names else {}


@register.filter
def under(files: Mapping[str, MediaFile], name: str) -> MediaFile | None:
    return files.get(name)


@register.filter
def short_name(name: str) -> str:
    """The last part of a path."""
    return file_names.short_name(name)


@register.filter
def type_name(mime: str) -> str:
    """A type as people call it; "" for plain text, which has no shorter name."""
    return TYPE_NAMES.get(mime, "")
