"""Which files there are, which items name them, and who may see them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404

from annotate.models import Item, MediaFile, Member, Project, Slot
from annotate.web.access import READERS

AT_ONCE = 500


def names_in(project: Project, columns: Iterable[Mapping[str, Any] | None]) -> Iterator[str]:
    """The names of files in facts and metadata of items."""
    kind = project.kind
    return (file.name for row in columns for file in kind.named_files(row or {}))


def named_among(project: Project, names: Collection[str], *, apart_from: Collection[int] = ()) -> set[str]:
    """Those of these names that an item of the project has, shown or in its metadata. apart_from: ids of items."""
    name_set = set(names)
    if not name_set or not project.kind.names_files:
        return set()
    items = Item.objects.filter(project=project).exclude(pk__in=apart_from)
    rows = items.values_list("facts", "metadata").iterator(chunk_size=AT_ONCE)
    return {name for facts, metadata in rows for name in names_in(project, (facts, metadata)) if name in name_set}


def unnamed(
    project: Project, names: Collection[str] | None = None, *, apart_from: Collection[int] = ()
) -> list[MediaFile]:
    """The files, of these names or of all, that no item of the project names. apart_from: ids of items not to count."""
    files = MediaFile.objects.filter(project=project)
    if names is not None:
        files = files.filter(name__in=names)
    names_in_use = named_among(project, [file.name for file in files], apart_from=apart_from)
    return [file for file in files if file.name not in names_in_use]


def files_by_name(project: Project, names: Collection[str]) -> dict[str, MediaFile]:
    """One query for each 500 names: a transcript may have thousands."""
    distinct_names, files = list(set(names)), MediaFile.objects.filter(project=project)
    parts = (distinct_names[start : start + AT_ONCE] for start in range(0, len(distinct_names), AT_ONCE))
    return {file.name: file for part in parts for file in files.filter(name__in=part)}


def images_by_name(project: Project) -> dict[str, bool]:
    """name -> whether it is an image, of all files of the project."""
    types = MediaFile.objects.filter(project=project).values_list("name", "type")
    return {name: mime.startswith("image/") for name, mime in types}


def file_seen_by(member: Member, link: str) -> MediaFile:
    """The file with this link, if this member may see it: any for readers, those of their own items for annotators.

    Raises Http404.
    """
    file = MediaFile.objects.filter(project=member.project_id, link=link).first()
    if file is None or not (member.role in READERS or _shown_to(member, file)):
        raise Http404
    return file


def _shown_to(member: Member, file: MediaFile) -> bool:
    """Whether an item that this person has in hand, or has worked on, names the file.

    Facts are compared here: SQLite has no path to a column with a quotation mark in its name.
    """
    items = Item.objects.filter(project=member.project)
    in_hand = items.filter(slots__holder=member.user, slots__state=Slot.State.HELD)
    worked_on = items.filter(Q(annotations__author=member.user) | Q(slots__holder=member.user))
    return _any_names(member.project, in_hand, file.name) or _any_names(member.project, worked_on, file.name)


def _any_names(project: Project, items: QuerySet[Item], name: str) -> bool:
    facts = Item.objects.filter(pk__in=items.values("pk")).values_list("facts", flat=True)
    return name in names_in(project, facts.iterator(chunk_size=AT_ONCE))
