"""Everything that is recorded about a person, from all tables that name them, in words and as one JSON file.

The tables are found in the models themselves, so a new table needs no entry here. Each column that names a person is
described in plain words; a test requires a description for every one. Data that would let somebody else in (passwords,
digests of tokens, second steps) is never included.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Count, QuerySet, Subquery, Value
from django.utils.translation import gettext_lazy as _

from annotate import hidden_checks
from annotate.engine.discovery import hooks
from annotate.models import Event, Item, Member, Slot, User

WORDS = {
    "annotate.user.id": _("Your account: name, e-mail, appearance, language, custom keys, mails, last sign-in"),
    # --- work ---------------------------------------------------------------------------------------------------------
    "annotate.annotation.author": _("Texts and decisions you wrote, with working time and guideline versions"),
    "annotate.slot.holder": _("Work you have or had in progress"),
    "annotate.slot.reserved_for": _("Work reserved for you"),
    "annotate.unitturn.holder": _("Items that belong together, of which you have begun the first"),
    "annotate.skip.person": _("Items you skipped, with the reason"),
    "annotate.comment.author": _("Comments you wrote"),
    "annotate.comment.resolved_by": _("Comments you resolved"),
    "annotate.event.actor": _("Item history entries about your actions"),
    "annotate.dispute.decided_by": _("Disputes you decided"),
    "annotate.precedent.asked_by": _("Questions about the guidelines you asked"),
    "annotate.precedent.ruled_by": _("Questions about the guidelines you ruled on"),
    "annotate.precedentevent.actor": _("Ruling history entries about your actions"),
    "annotate.reopening.created_by": _("Reopenings you requested after a guideline change"),
    # --- belonging ----------------------------------------------------------------------------------------------------
    "annotate.member.user": _("Your project memberships: role, limits, groups, any pause and its reason"),
    "annotate.invitation.created_by": _("Invitations you created"),
    "annotate.invitation.accepted_by": _("Invitations you accepted"),
    "annotate.savedview.owner": _("Views of pages you saved"),
    "annotate.notification.user": _("Notifications in your inbox"),
    "annotate.digest.user": _("Mails with your unread notifications: when, and how many they mentioned"),
    "annotate.notification.actor": _("Notifications to others about your actions"),
    # --- leading ------------------------------------------------------------------------------------------------------
    "annotate.auditentry.person": _("Audit entries about changes you made as lead or administrator"),
    "annotate.project.paused_by": _("Projects you paused"),
    "annotate.definition.author": _("Versions of questions you wrote"),
    "annotate.guideline.author": _("Guideline versions you wrote"),
    "annotate.batch.created_by": _("Imports you made"),
    "annotate.mediafile.added_by": _("Files you added to projects"),
    "annotate.release.created_by": _("Releases you created"),
    "annotate.survey.created_by": _("Surveys you set up"),
    "annotate.alikesearch.asked_by": _("Near-duplicate searches you requested"),
    "annotate.alikepair.decided_by": _("Your decisions about near-duplicates"),
    "annotate.sample.created_by": _("Samples of accepted items you drew"),
    "annotate.endpoint.created_by": _("Model endpoints you approved"),
    "annotate.promptversion.author": _("Prompt versions you wrote"),
    "annotate.run.created_by": _("Model runs you planned"),
    "annotate.run.started_by": _("Model runs you started"),
    "annotate.pass.created_by": _("Reparses of stored replies you requested"),
    "annotate.apitoken.created_by": _("API tokens you created, without their secrets"),
    "annotate.webhook.created_by": _("Webhooks you added, without their secrets"),
    # --- signing in ---------------------------------------------------------------------------------------------------
    "account.emailaddress.user": _("E-mail addresses of your account"),
    "mfa.authenticator.user": _("Two-factor authentication methods you set up, without their secrets"),
    "axes.accessattempt.username": _("Failed sign-in attempts with your name, with IP address and browser"),
    "axes.accessattemptexpiration.username": _("When failed sign-in attempts expire"),
    "axes.accesslog.username": _("Sign-ins and sign-outs with your name, with IP address and browser"),
    "axes.accessfailurelog.username": _("Other failed sign-in attempts with your name"),
}


# Rows about checks are shown as if they were work: a person's file must not reveal which items are checks.


WORK = {"no": 1, "round": 1, "reserved_for_id": None, "reserved_until": None}


def without_own_slots(rows: QuerySet[Any], column: str) -> QuerySet[Any]:
    """Without slots that were made for one person alone, where reserved slots are listed."""
    made_for_one = rows.model is Slot and column == "reserved_for"
    return rows.filter(own=False) if made_for_one else rows


def veiled(model: type[models.Model], rows: Iterable[dict[str, Any]], user: User) -> list[dict[str, Any]]:
    """The rows described as work; events as the item's history shows them to this person."""
    if model is Slot:
        return [_veiled_slot(row) for row in rows]
    return _events(list(rows), user) if model is Event else list(rows)


def _veiled_slot(row: dict[str, Any]) -> dict[str, Any]:
    """Without the column that says whose slot it is, for all slots alike."""
    own = row.pop("own")
    return row | WORK if own else row


def _events(rows: list[dict[str, Any]], user: User) -> list[dict[str, Any]]:
    members = {membership.project_id: membership for membership in Member.objects.of(user).select_related("project")}
    items = Item.objects.defer("facts").in_bulk({row["item_id"] for row in rows})
    for row in rows:
        member = members.get(row["project_id"])
        if member is not None and hidden_checks.is_masked(items[row["item_id"]], member):
            row |= hidden_checks.disguise(row["verb"], member)
    return rows


# The tables and their rows.


# The unit of a slot is a digest of what may be metadata, and slots of checks have none.
SECRETS = {"password", "secret", "sha256", "token", "data", "starts_with", "session_hash", "unit"}
CHUNK = 500


@cache
def words() -> dict[str, Any]:
    """Descriptions of all columns that name a person, those of other apps too."""
    return {name: phrase for found in (WORDS, *hooks("RECORD_WORDS")) for name, phrase in found.items()}


@dataclass(frozen=True)
class PersonColumn:
    """A column that names a person."""

    model: type[models.Model]
    column: str

    @property
    def name(self) -> str:
        """`annotate.annotation.author`: unique, and the name in the file."""
        return f"{self.model._meta.label_lower}.{self.column}"

    @property
    def words(self) -> str:
        """A description of these rows; a table without a description gets its model name."""
        phrase = words().get(self.name)
        return str(phrase) if phrase else f"{self.model._meta.verbose_name}: {self.column}"

    @property
    def kept(self) -> list[str]:
        """The columns that are included of each row."""
        return [field.attname for field in self.model._meta.concrete_fields if field.name not in SECRETS]

    def rows(self, user: User) -> QuerySet[Any]:
        by = {"username": user.username} if self.column == "username" else {self.column: user.pk}
        return without_own_slots(self.model._base_manager.filter(**by), self.column)


@dataclass(frozen=True)
class RecordedRows:
    """place: the column; count: its rows that name the person."""

    place: PersonColumn
    count: int


def person_columns() -> list[PersonColumn]:
    """Every column of every installed table that names a person; their own account first."""
    columns = [PersonColumn(User, "id")]
    for model in apps.get_models():
        if model is User:
            continue
        for field in model._meta.concrete_fields:
            if (field.is_relation and field.related_model is User) or field.name == "username":
                columns.append(PersonColumn(model, field.name))
    return columns


def recorded_about(user: User) -> list[RecordedRows]:
    """The counts of all such rows, in one query for any number of tables."""
    columns = person_columns()
    counts = User.objects.filter(pk=user.pk).values_list(*(_count_rows(column.rows(user)) for column in columns)).get()
    return [RecordedRows(column, count or 0) for column, count in zip(columns, counts, strict=True)]


def _count_rows(rows: QuerySet[Any]) -> Subquery:
    """The number of rows as a subquery; None for none."""
    grouped_rows = rows.order_by().annotate(together=Value(1)).values("together")
    return Subquery(grouped_rows.annotate(count_of_all=Count("pk")).values("count_of_all"))


def as_file(user: User) -> Iterator[str]:
    """All rows as one JSON object, column name -> rows; streamed in parts, because it can be long."""
    yield "{"
    for number, column in enumerate(person_columns()):
        yield ("," if number else "") + f"\n{json.dumps(column.name)}: ["
        for index, row in enumerate(_rows(column, user)):
            yield ("," if index else "") + "\n  " + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
        yield "]"
    yield "\n}\n"


def _rows(column: PersonColumn, user: User) -> Iterator[dict[str, Any]]:
    """By ascending key, in chunks that hold no cursor open."""
    last_pk: Any = None
    while True:
        more = column.rows(user) if last_pk is None else column.rows(user).filter(pk__gt=last_pk)
        chunk = list(more.order_by("pk").values("pk", *column.kept)[:CHUNK])
        last_pk = chunk[-1]["pk"] if chunk else None
        for row in veiled(column.model, chunk, user):
            del row["pk"]
            yield row
        if len(chunk) < CHUNK:
            return
