"""Appending to the audit trail, its values without secrets, reading it, and verifying its chain.

See docs/decisions/0040-audit-trail.md.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date
from decimal import Decimal
from math import isfinite
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.acting import current_actor
from annotate.models import AuditEntry, AuditHead, Project

Values = Mapping[str, Any] | None
NATURAL_KEYS = ("slug", "username", "version", "name", "key")
HASHED = (
    *("number", "project_id", "project_slug", "person_id", "account", "role", "address", "channel", "verb"),
    *("subject_kind", "subject_key", "before", "after", "previous_hash"),
)
INSTALLATION = "installation"
AT_ONCE = 2000


def record(
    verb: str, subject: Model | None, *, before: Values = None, after: Values = None, project: Project | None = None
) -> AuditEntry | None:
    """Append an entry for the current actor (annotate/acting.py), in the transaction of the change.

    subject: the row that it is about; None for the whole installation. before, after: the values that changed; with
    both only what differs is kept, and nothing is recorded if nothing does. Returns None then.
    Call it after the other statements of a transaction: it locks the end of the chain until the transaction ends.
    Raises TransactionManagementError outside of a transaction.
    """
    if before is not None and after is not None:
        before, after = differing(before, after)
        if not before and not after:
            return None
    return _append(verb, subject, project or _project_of(subject), plain(before), plain(after))


def record_reading(verb: str, subject: Model | None, *, project: Project | None = None, **values: Any) -> None:
    """An entry in a transaction of its own, for what is read and not changed: downloads, password links."""
    with transaction.atomic():
        record(verb, subject, after=values or None, project=project)


@contextmanager
def recording(verb: str, row: Model, *columns: str, project: Project | None = None) -> Iterator[None]:
    """One transaction in which these columns of a stored row change, with the entry that says how.

    The values before are read from the database, because a form may have written into its own copy already.
    """
    with transaction.atomic():
        before = stored_values(row, *columns)
        yield
        record(verb, row, before=before, after=stored_values(row, *columns), project=project)


def stored_values(row: Model, *columns: str) -> dict[str, Any]:
    """column -> value, as stored now; empty if the row does not exist."""
    return type(row)._base_manager.filter(pk=row.pk).values(*columns).first() or {}


def values_of(row: Model, *columns: str) -> dict[str, Any]:
    """column -> value of a row that was just created."""
    return {name: getattr(row, name) for name in columns}


def _project_of(subject: Model | None) -> Project | None:
    return subject if isinstance(subject, Project) else getattr(subject, "project", None)


def _append(verb: str, subject: Model | None, project: Project | None, before: Any, after: Any) -> AuditEntry:
    head, actor = _locked_head(), current_actor()
    entry = AuditEntry(
        number=head.number + 1,
        at=timezone.now(),
        project_id=project.pk if project else None,
        project_slug=project.slug if project else "",
        person_id=actor.user.pk if actor.user is not None else None,
        account=actor.account[:150],
        role=actor.role_name[:20],
        address=actor.address[:45],
        channel=actor.channel[:120],
        verb=verb,
        subject_kind=(subject._meta.model_name or "") if subject is not None else INSTALLATION,
        subject_key=_key_of(subject)[:200] if subject is not None else "",
        before=as_text(before),
        after=as_text(after),
        previous_hash=head.hash,
    )
    entry.hash = entry_hash(entry)
    entry.save(force_insert=True)
    AuditHead.objects.filter(pk=head.pk).update(number=entry.number, hash=entry.hash)
    return entry


def _locked_head() -> AuditHead:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "An audit entry belongs into the transaction of its change. Record it inside transaction.atomic()."
        )
    heads = AuditHead.objects.select_for_update()
    head = heads.filter(pk=1).first()
    if head is None:  # this is the first entry, or another one that is written at this moment
        AuditHead.objects.get_or_create(pk=1)
        head = heads.get(pk=1)
    return head


def _key_of(subject: Model) -> str:
    """The name by which people know it, else its id."""
    names = [str(getattr(subject, name, "") or "") for name in NATURAL_KEYS]
    account = getattr(getattr(subject, "user", None), "username", "")
    return next(filter(None, [*names, account]), str(subject.pk))


def entry_hash(entry: AuditEntry) -> str:
    """SHA-256 of the entry's time, its columns in `HASHED` and the hash of the previous entry."""
    columns = [entry.at.astimezone(UTC).isoformat(), *(getattr(entry, name) for name in HASHED)]
    return hashlib.sha256(as_text(columns).encode()).hexdigest()


# Verifying.


@dataclass(frozen=True)
class Verification:
    """entries: how many were read. problem: what is wrong at the first entry that does not fit; empty if all do."""

    entries: int
    last_hash: str
    problem: str = ""

    @property
    def holds(self) -> bool:
        return not self.problem


def verify() -> Verification:
    """Compute every hash again, from the first entry to the end of the chain that is stored beside the entries."""
    number, last_hash = 0, ""
    for entry in AuditEntry.objects.order_by("number").iterator(chunk_size=AT_ONCE):
        if problem := _problem(entry, number, last_hash):
            return Verification(number, last_hash, problem)
        number, last_hash = entry.number, entry.hash
    head = AuditHead.objects.first() or AuditHead()
    if (head.number, head.hash) != (number, last_hash):
        problem = _("The chain ends at entry %(last)d, but %(all)d were written.")
        return Verification(number, last_hash, problem % {"last": number, "all": head.number})
    return Verification(number, last_hash)


def _problem(entry: AuditEntry, number: int, last_hash: str) -> str:
    if entry.number != number + 1:
        return _("Entry %(number)d is missing.") % {"number": number + 1}
    if entry.previous_hash != last_hash:
        return _("Entry %(number)d does not follow the entry before it.") % {"number": entry.number}
    if entry_hash(entry) != entry.hash:
        return _("Entry %(number)d was changed after it was written.") % {"number": entry.number}
    return ""


# The values of an entry: plain JSON without secrets and without long texts.


HIDDEN = "•••"
LONGEST = 300  # characters; a longer text is people's words, of which only length and checksum are kept
SECRET_NAME = re.compile(
    r"passw|passphrase|secret|token|api.?key|authori[sz]ation|credential|cookie|private.?key", re.I
)
SECRET_TEXT = re.compile(
    r"\b(?:ts_|whsec_|sk-|ghp_|xox[a-z]-)[\w-]{12,}"  # keys with a well-known beginning
    r"|\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"
    r"|(?<=://)[^/\s@]+@",  # name and password in an address
    re.I,
)


def as_text(value: Any) -> str:
    """The value as the JSON text that an entry stores and its hash covers: sorted, ASCII only."""
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def plain(value: Any) -> Any:
    """The value in JSON: secrets hidden at every depth, long texts as their length and checksum."""
    if isinstance(value, Mapping):
        return {str(name): _named(str(name), inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, Model):
        return value.pk
    return _text(_written(value))


def _named(name: str, value: Any) -> Any:
    """Counts such as max_tokens are no secrets, whatever their name says."""
    is_secret = SECRET_NAME.search(name) and value and not isinstance(value, bool | int | float | Decimal)
    return HIDDEN if is_secret else plain(value)


def _written(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return value.isoformat() if isinstance(value, date) else str(value)


def _text(text: str) -> Any:
    if len(text) > LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return {"characters": len(text), "sha256": digest}
    return SECRET_TEXT.sub(HIDDEN, text)


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What differs of two states, compared before secrets are hidden; both are empty if nothing does."""
    names = [name for name in {**before, **after} if _differs(before, after, name)]
    return _parts(before, names), _parts(after, names)


def _differs(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    return (name in before) != (name in after) or before.get(name) != after.get(name)


def _parts(values: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


COLUMNS = (
    *("number", "at", "project", "account", "role", "address", "channel", "verb", "subject_kind", "subject_key"),
    *("before", "after", "previous_hash", "hash"),
)


def entries_of(project: Project | None = None) -> QuerySet[AuditEntry]:
    """The entries of a project, or of the whole installation; newest first."""
    entries = AuditEntry.objects.order_by("-number")
    return entries if project is None else entries.filter(project=project)


def as_json(entry: AuditEntry) -> dict[str, Any]:
    """The entry by COLUMNS, with its time in ISO 8601 and the values before and after as JSON (null: none)."""
    columns = {name: getattr(entry, name) for name in COLUMNS if name != "project"}
    values = {"at": entry.at.isoformat(), "before": entry.values_before, "after": entry.values_after}
    row = columns | values | {"project": entry.project_slug or None}
    return {name: row[name] for name in COLUMNS}
