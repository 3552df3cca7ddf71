"""Pages by key: a cursor names the last row that a client has seen, so pages neither skip nor repeat rows."""

import base64
import binascii
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotate.api.errors import invalid

MOST, USUAL = 200, 50
Row = TypeVar("Row", bound=Model)


class PageQuery(serializers.Serializer):
    """Which page."""

    cursor = serializers.CharField(
        required=False, max_length=400, help_text="`next` of the page before. Without it, the first page."
    )
    limit = serializers.IntegerField(
        required=False, default=USUAL, min_value=1, max_value=MOST, help_text="Rows on a page."
    )


def sealed(position: str) -> str:
    """A place in a list as a cursor. Its text says nothing that a client should rely on."""
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def opened(cursor: str) -> str:
    """Raises Fault where it is none of ours."""
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as fault:
        raise bad_cursor() from fault


def bad_cursor() -> Exception:
    return invalid(_("This is no cursor of this list. Begin without one."), "cursor")


def newest_first(rows: QuerySet[Row], query: dict[str, Any], *, column: str = "pk") -> tuple[list[Row], str | None]:
    """A page in falling order of a unique column of whole numbers, and the cursor of the next page."""
    if query.get("cursor"):
        rows = rows.filter(**{f"{column}__lt": _number(query["cursor"])})
    entries = list(rows.order_by(f"-{column}")[: query["limit"] + 1])
    page_rows = entries[: query["limit"]]
    more = len(entries) > len(page_rows)
    return page_rows, sealed(str(getattr(page_rows[-1], column))) if more else None


def _number(cursor: str) -> int:
    text = opened(cursor)
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise bad_cursor()
    return int(text)
