"""Storing files that rows name, and removing those that no item names any more."""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.utils.translation import ngettext

from annotate.audit.trail import record
from annotate.errors import Refused
from annotate.kinds.questions.attachments import EMBEDDED
from annotate.media import storage
from annotate.media.queries import names_in, unnamed
from annotate.models import Batch, Item, MediaFile, Project, User
from lib.media.file_names import BadName, clean_name
from lib.media.metadata import without_metadata
from lib.media.sniffing import IMAGES, BadContent, Content, image_type, read_content
from lib.texts.sentences import paragraph
from lib.texts.stored_sentences import say as _

IMPORTING = [Batch.State.WAITING, Batch.State.RUNNING]


def add(
    *, project: Project, name: str, data: bytes, by: User | None, batch: Batch | None = None
) -> tuple[MediaFile, bool]:
    """(the stored file, whether it is new). A file that is there with the same content stays as it is.

    batch: the import that brings it. A file that it brought before an interruption counts as new.

    Raises Refused, with the file's name, if the name or the content cannot be kept or the name has another content.
    """
    try:
        return _added(project, clean_name(name), data, by, batch)
    except (BadName, BadContent) as bad:
        raise Refused(_("“%(name)s” %(why)s") % {"name": name, "why": bad.args[0]}) from bad


def _added(project: Project, name: str, data: bytes, by: User | None, batch: Batch | None) -> tuple[MediaFile, bool]:
    digest = hashlib.sha256(data).hexdigest()
    stored_file = MediaFile.objects.filter(project=project, name=name).first()
    if stored_file is not None:
        return _as_known(stored_file, digest), batch is not None and stored_file.batch_id == batch.pk
    return _store(project, name, digest, _content(project, digest, data), by, batch)


def add_embedded(*, name: str, data: bytes, batch: Batch) -> None:
    """An image that a row holds as data. name: of embedded_name. Raises BadContent, as the row is refused for it."""
    try:
        _added(batch.project, name, data, batch.created_by, batch)
    except Refused as refused:
        raise BadContent(str(refused)) from refused


def embedded_name(data: bytes) -> str:
    """Of an image that a row holds as data: by the SHA-256 of its bytes and by its type. Raises BadContent."""
    mime = image_type(data)
    return f"{EMBEDDED}{hashlib.sha256(data).hexdigest()}.{IMAGES[mime].lower()}"


def _content(project: Project, digest: str, data: bytes) -> Content:
    """What is stored of these bytes; for bytes that the project has under another name nothing is computed again.

    A file that is stored as it came may still have metadata from before they were removed.
    """
    twin = MediaFile.objects.filter(project=project, source_sha256=digest).exclude(sha256=digest).first()
    if twin is None or not storage.media_storage().exists(twin.stored_as):
        return without_metadata(read_content(data))
    with storage.opened(twin.stored_as) as file:
        return Content(twin.type, file.read(), twin.width, twin.height, twin.animated)


def _as_known(stored_file: MediaFile, digest: str) -> MediaFile:
    if stored_file.source_sha256 == digest or stored_file.sha256 == digest:
        return stored_file
    message = _(
        "“%(name)s” is stored already, with another content that items may show. Give the new file another name."
    )
    raise Refused(message % {"name": stored_file.name})


def _store(
    project: Project, name: str, digest: str, content: Content, by: User | None, batch: Batch | None
) -> tuple[MediaFile, bool]:
    file = MediaFile(
        project=project,
        name=name,
        sha256=hashlib.sha256(content.data).hexdigest(),
        source_sha256=digest,
        type=content.type,
        size=len(content.data),
        width=content.width,
        height=content.height,
        animated=content.animated,
        batch=batch,
        added_by=by,
    )
    storage.keep(file.stored_as, content.data)
    with transaction.atomic():
        _lock(project)  # nobody removes the bytes before the row names them
        stored = MediaFile.objects.filter(project=project, name=name).first()
        if stored is not None:
            return _as_known(stored, digest), False
        file.save()
        storage.keep(file.stored_as, content.data)
    return file, True


def _lock(project: Project) -> None:
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


@dataclass
class Added:
    """What became of several files: names of new ones and of those that were there, and messages about the others."""

    new: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def in_words(self) -> str:
        n, stored = len(self.new), len(self.known)
        sentences = [ngettext("%(n)d file added.", "%(n)d files added.", n) % {"n": n}]
        if stored:
            sentences.append(ngettext("%(n)d was here already.", "%(n)d were here already.", stored) % {"n": stored})
        return paragraph(sentences)


def add_all(*, project: Project, files: Iterable[tuple[str, bytes]], by: User | None) -> Added:
    """Store all of them that can be stored, with one entry in the audit trail."""
    added = Added()
    for name, data in files:
        try:
            file, is_new = add(project=project, name=name, data=data, by=by)
        except Refused as refused:
            added.refused.append(str(refused))
        else:
            (added.new if is_new else added.known).append(file.name)
    record_added(project, added)
    return added


def record_added(project: Project, added: Added) -> None:
    """An entry in the audit trail, if any file is new."""
    if added.new:
        with transaction.atomic():
            record("files.added", project, after={"files": len(added.new)})


def remove_unnamed(project: Project, names: Collection[str] | None = None, *, apart_from: Collection[int] = ()) -> int:
    """Remove the files, of these names or of all, that no item of the project names; returns how many.

    apart_from: ids of items whose names do not count, because they are about to be erased.

    Bytes that two files share stay until the last one goes. They are removed last: if the machine stops in between,
    the row is still there, and removing it again does the rest. Raises Refused for all files while an import runs.
    """
    with transaction.atomic():
        _lock(project)
        if names is None and Batch.objects.filter(project=project, state__in=IMPORTING).exists():
            raise Refused(_("An import is running, and its rows may name these files. Remove files once it has ended."))
        removed = unnamed(project, names, apart_from=apart_from)
        MediaFile.objects.filter(pk__in=[file.pk for file in removed]).delete()
        for stored_as in {file.stored_as for file in removed}:
            if not MediaFile.objects.filter(project=project, sha256=stored_as.rpartition("/")[2]).exists():
                storage.media_storage().delete(stored_as)
        if removed:
            record("files.removed", project, after={"files": len(removed)})
    return len(removed)


def remove_files_of(item: Item) -> int:
    """Remove the files that only this item names, before it is erased; returns how many. It is idempotent."""
    names = set(names_in(item.project, (item.facts, item.metadata)))
    return remove_unnamed(item.project, names, apart_from=[item.pk]) if names else 0
