"""What the forms of the review page hold, read without ever failing."""

from typing import Any

from django.http import HttpRequest

from annotate.services import drafts
from annotate.services.comparing import ordered_as
from annotate.services.reviewing import Reason
from annotate.services.reviewing.desk import ReviewDesk

LONGEST = 4000


def posted(request: HttpRequest, desk: ReviewDesk) -> dict[str, Any]:
    fields_of_kind = desk.kind.fields(desk.facts)
    return ordered_as(fields_of_kind, desk.kind.read_form(request.POST, desk.facts), desk.about.draft)


def reasons(request: HttpRequest) -> list[Reason]:
    """What stands in the rows of the form for sending back; rows without words do not count."""
    rows = zip(request.POST.getlist("reason_field"), request.POST.getlist("reason_text"), strict=False)
    return [Reason(name, words(text)) for name, text in rows if text.strip()]


def words(text: str) -> str:
    return str(drafts.without_nul(text)).replace("\r\n", "\n").strip()[:LONGEST]
