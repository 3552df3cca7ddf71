"""The few tags that every page uses. Each renders one small element; none of them queries the database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cache, lru_cache
from itertools import accumulate
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime
from django.contrib.messages.storage.base import Message
from django.forms import BaseForm, BoundField
from django.http import QueryDict
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from lib.texts.listing import listed

register = template.Library()
IN_TOAST = "in-toast"  # tag of a message that the toast of what was just done shows, if the page has one

# state -> (look, icon, word): of items, slots, batches, runs, and of fields under review.
STATES = {
    "imported": ("incomplete", "partial", _("Imported")),
    "ready": ("neutral", "dot", _("To annotate")),
    "reviewing": ("neutral", "seen", _("In review")),
    "adjudicating": ("caution", "split", _("To adjudicate")),
    "accepted": ("ok", "check", _("Accepted")),
    "dropped": ("incomplete", "minus", _("Dropped")),
    "open": ("incomplete", "partial", _("Open")),
    "held": ("neutral", "pen", _("In progress")),
    "submitted": ("ok", "check", _("Submitted")),
    "void": ("incomplete", "minus", _("Void")),
    "preview": ("incomplete", "seen", _("Awaiting confirmation")),
    "waiting": ("incomplete", "clock", _("Waiting")),
    "running": ("neutral", "dot", _("Running")),
    "planning": ("incomplete", "clock", _("Being planned")),
    "planned": ("incomplete", "seen", _("Planned")),
    "finished": ("ok", "check", _("Finished")),
    "cancelled": ("incomplete", "minus", _("Cancelled")),
    "pending": ("incomplete", "clock", _("Waiting")),
    "leased": ("neutral", "dot", _("In progress")),
    "done": ("ok", "check", _("Done")),
    "failed": ("failed", "cross", _("Failed")),
    "paused": ("caution", "pause", _("Paused")),
    "agree": ("agree", "check", _("All agree")),
    "disagree": ("disagree", "split", _("Disagree")),
    "incomplete": ("incomplete", "partial", _("Incomplete")),
    "decided": ("decided", "lock", _("Decided")),
    "overridden": ("overridden", "pen", _("Overridden")),
}


@cache
def _icon(name: str, extra: str) -> SafeString:
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        f" {extra}" if extra else "",
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """A symbol of img/icons.svg. It always accompanies a word, so it is hidden from screen readers."""
    return _icon(name, extra)


@register.simple_tag
def origin(who: str, label: str) -> SafeString:
    """Whose value this is: `who` is "machine" (dashed) or "person" (solid)."""
    return format_html('<span class="origin origin--{}">{}{}</span>', who, _icon(who, ""), label)


@register.simple_tag
def state(name: str, label: str = "") -> SafeString:
    """A state in colour, icon and word."""
    look, symbol, word = STATES[name]
    return format_html('<span class="state state--{}">{}{}</span>', look, _icon(symbol, ""), label or word)


@register.simple_tag
def meter(value: float, total: float, label: str, fill: str = "1") -> SafeString:
    """A slim bar of value out of total, with a sentence that gives the same numbers."""
    width = 100 * min(value / total, 1) if total else 0
    return format_html(
        '<svg class="meter meter--slim" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="fill-{}" width="{}" height="10"/></svg>',
        label,
        fill,
        round(width, 2),
    )


@register.simple_tag
def meter_parts(parts: list[tuple[str, float]], label: str) -> SafeString:
    """A bar divided into parts of (fill, amount), two units apart; fills: 1 2 ok caution danger info gap hollow."""
    visible_parts = [(fill, amount) for fill, amount in parts if amount > 0]
    total = sum(amount for _fill, amount in visible_parts) or 1
    ends = list(accumulate(1000 * amount / total for _fill, amount in visible_parts))
    rects = (
        (fill, round(start, 1), round(max(end - start - (2 if end < ends[-1] else 0), 1), 1))
        for (fill, _amount), start, end in zip(visible_parts, [0.0, *ends], ends, strict=False)
    )
    return format_html(
        '<svg class="meter" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        label,
        format_html_join("", '<rect class="fill-{}" x="{}" width="{}" height="10"/>', rects),
    )


@register.simple_tag
def when(moment: datetime | None, missing: str = "") -> SafeString | str:
    """A time as its date and how long ago; `missing` where there is none."""
    if moment is None:
        return missing
    start = _beginning_of_time(moment, timezone.get_current_timezone(), get_language())
    return format_html("{}{}</span></time>", start, naturaltime(moment))


@lru_cache(maxsize=4096)
def _beginning_of_time(moment: datetime, zone: tzinfo, _language: str | None) -> SafeString:
    """What does not depend on the present; lists show the same times again and again."""
    local = timezone.localtime(moment, zone)
    # Translators: how a moment is written, in Django's date letters.
    date = date_format(local, gettext("j M Y, H:i"))
    return format_html(
        '<time datetime="{}" title="{}">{} <span class="quiet">',
        local.isoformat(timespec="seconds"),
        f"{date} {local.tzname()}",
        date,
    )


@register.simple_tag
def query(ready: str = "", **parameters: object) -> str:
    """What follows an address: "?", parameters that are encoded already, then the named ones that are not None."""
    pairs = [f"{name}={quote(str(value), safe='')}" for name, value in parameters.items() if value is not None]
    return "?" + "&".join([ready, *pairs] if ready else pairs)


LIST_PARAMETERS = ("list", "order", "comments", "about", "thread", "answers", "texts", "work", "skips", "history")


@register.simple_tag(takes_context=True)
def list_address(context: Context, *changes: object) -> str:
    """The address of a page with several lists. changes: parameter, value, parameter, value …; None removes one.

    A fragment that answers a form is part of the page that the form came from: its address is `back`.
    """
    request = context["request"]
    path, _separator, asked = str(context.get("back") or request.get_full_path()).partition("?")
    given = QueryDict(asked)
    query: dict[str, object] = {name: given[name] for name in LIST_PARAMETERS if name in given}
    query |= dict(zip(map(str, changes[::2]), changes[1::2], strict=True))
    parameters = urlencode({name: value for name, value in query.items() if value is not None})
    return f"{path}?{parameters}" if parameters else path


@register.simple_tag(takes_context=True)
def thread_address(context: Context, thread: Any) -> str:
    """Where a thread of this page's `talk` is: below, or on another page of the comments."""
    place = f"#thread-{thread.pk}"
    if thread in context["talk"].page.object_list:
        return place
    return list_address(context, "thread", thread.pk, "about", None, "comments", None) + place


@register.simple_tag(takes_context=True)
def thread_words(context: Context, thread: Any) -> str:
    """The name of the field, or the words of the text, that a thread of this page's `talk` is about."""
    return str(context["talk"].words(thread))


@register.filter
def by_name(members: Mapping[str, object]) -> list[tuple[str, object]]:
    """Names and values of a dict whose names are people's: `.items` of a template means the member called "items"."""
    return list(members.items())


@dataclass(frozen=True)
class FieldNotes:
    """Notes at a field: the word “optional”, a unit after its control, an example below it."""

    says_optional: bool
    unit: object
    example: object


@register.filter
def notes(field: BoundField) -> FieldNotes:
    """A template would look for each of these in vain, which costs more than to find it."""
    form_field: Any = field.field
    unsaid = getattr(form_field, "optional_unsaid", False) or getattr(form_field, "one_of_two", False)
    says_optional = not form_field.required and not unsaid
    return FieldNotes(says_optional, getattr(form_field, "unit", ""), getattr(form_field, "example", ""))


register.filter("listed", listed)


@register.filter
def in_use(form: BaseForm) -> int:
    """How many filters of a form have a value in the address."""
    return sum(bool(form.data.get(field.html_name)) for field in form.visible_fields())


@register.filter
def minutes(span: timedelta) -> int:
    """A span of time in whole minutes, rounded up."""
    return -(-span // timedelta(minutes=1))


@register.filter
def in_toast(messages: Iterable[Message] | None) -> str:
    """The texts of the messages that belong into the toast; "" if there are none."""
    return " ".join(str(message) for message in messages or () if IN_TOAST in message.tags)
