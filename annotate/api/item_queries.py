"""How the list of items is asked: the filters of the browser's list, an order, a page."""

from datetime import date
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from annotate.api.paging import PageQuery
from annotate.models import DROP_REASONS, Item
from annotate.models.work import SKIP_REASONS
from annotate.services.items.lists import FIRST_DAY, LAST_DAY, Filters
from annotate.services.items.pages import ORDERS
from annotate.views.items.filters import EVENTS

PERSON, HOLDER = "^(anyone|[0-9]{1,18})$", "^(anyone|overdue|[0-9]{1,18})$"
NOT_THEN = _("A day between 1970 and 2200, please.")


def a_day_that_can_be(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise serializers.ValidationError(NOT_THEN)


def _choice(choices: Any, help_text: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=choices, required=False, help_text=help_text)


def _person(description: str, pattern: str = PERSON) -> serializers.RegexField:
    return serializers.RegexField(
        pattern, required=False, help_text=f"{description}: the number of an account, or `anyone`."
    )


def _day(help_text: str) -> serializers.DateField:
    return serializers.DateField(required=False, help_text=help_text, validators=[a_day_that_can_be])


class ItemFilters(serializers.Serializer):
    """What a list of items is narrowed by: the same as in the browser, and nothing else."""

    q = serializers.CharField(required=False, max_length=200, help_text="A part of key or title.")
    state = _choice(Item.State.choices, "Where the item stands.")
    group = serializers.CharField(required=False, max_length=120, help_text="Its group, such as a task.")
    language = serializers.CharField(required=False, max_length=12, help_text="The code of its language.")
    batch = serializers.IntegerField(
        required=False, min_value=0, max_value=2**63 - 1, help_text="The number of the import that brought it."
    )
    purpose = _choice(Item.Purpose.choices, "What it is for.")
    priority = serializers.IntegerField(required=False, min_value=-32768, max_value=32767, help_text="Its priority.")
    drop_reason = _choice(DROP_REASONS, "Dropped for this reason.")
    assigned = _person("Kept for this person")
    held = _person("Held by this person, or `overdue`", HOLDER)
    by = _person("Handed in by this person")
    reviewed = _person("A review of this person's work")
    returned = _person("Sent back to this person")
    skipped = _choice(["any", *dict(SKIP_REASONS)], "Skipped by somebody for this reason.")
    comments = _choice(["open"], "With comments that nobody has resolved.")
    drafts = _choice(["left"], "With an unfinished draft that nobody works on.")
    minutes = _choice(["counted", "none"], "Whether working time was counted.")
    event = _choice([name for name, _label in EVENTS], "Something that happened to it, within `since` and `until`.")
    since = _day("The first day of `event`.")
    until = _day("The last day of `event`.")


class ItemQuery(ItemFilters, PageQuery):
    """Filters, order and page."""

    order = serializers.ChoiceField(
        choices=sorted(ORDERS),
        default="first",
        help_text="As imported, newest first, changed last, or highest priority.",
    )


def filters_of(query: dict[str, Any]) -> Filters:
    return Filters(**{name: value for name, value in query.items() if name in Filters.__dataclass_fields__})
