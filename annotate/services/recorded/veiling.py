"""Rows about checks among somebody's work, as they would be if they were work: their file must not tell which are."""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.models import QuerySet

from annotate.models import Event, Item, Member, Slot, User
from annotate.services.readiness import masking
from annotate.services.readiness.places import FIRST

WORK = {"no": 1, "round": 1, "reserved_for_id": None, "reserved_until": None}


def counted(rows: QuerySet[Any], column: str) -> QuerySet[Any]:
    """Without places that were made for a person alone, where these are listed as what is kept for them."""
    made_for_one = rows.model is Slot and column == "reserved_for"
    return rows.filter(no__lt=FIRST) if made_for_one else rows


def veiled(model: type[models.Model], rows: Iterable[dict[str, Any]], user: User) -> list[dict[str, Any]]:
    """The same rows, in the words of work; events as the history of their item tells them to this person."""
    if model is Slot:
        return [row | WORK if row["no"] >= FIRST else row for row in rows]
    return _events(list(rows), user) if model is Event else list(rows)


def _events(rows: list[dict[str, Any]], user: User) -> list[dict[str, Any]]:
    members = {membership.project_id: membership for membership in Member.objects.of(user).select_related("project")}
    items = Item.objects.defer("facts").in_bulk({row["item_id"] for row in rows})
    for row in rows:
        member = members.get(row["project_id"])
        if member is not None and masking.is_masked(items[row["item_id"]], member):
            event = Event(**{name: row[name] for name in ("verb", "from_state", "to_state", "round")})
            masking.worded(event, member)
            row |= {name: getattr(event, name) for name in ("verb", "from_state", "to_state", "round")}
    return rows
