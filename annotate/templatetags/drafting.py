"""Tags for the form of a kind: the state of each field, ids and labels, weights, durations and keys.

A kind's form template can be included by any page that passes item, facts and draft; suggestion, decided, findings
and read_only are optional.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from annotate.items import slots
from annotate.items.pins import Pin
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field
from annotate.models import Item
from annotate.templatetags.ui import meter_parts
from annotate.work import field_states, keys
from lib.texts.sentences import paragraph

register = template.Library()


@register.simple_tag(takes_context=True)
def form_of_kind(context: Context) -> SimpleNamespace:
    """The kind's form_context, and `fields`: the state of each field."""
    item: Item = context["item"]
    kind, facts, draft = item.project.kind, context["facts"], context["draft"]
    suggestion = context.get("suggestion")
    suggested = context.get("suggested", suggestion.draft if suggestion else None)
    states = field_states.states(
        kind,
        facts,
        draft,
        suggested=suggested,
        decided=context.get("decided") or (),
        findings=context.get("findings") or (),
    )
    return SimpleNamespace(fields=states, **kind.form_context(facts, draft, item.project.kind_options))


@register.simple_tag(takes_context=True)
def dealt_here(context: Context) -> Mapping[str, Any]:
    """The facts that the kind shows in a different order to each person (Kind.dealt), in the reader's order."""
    item: Item = context["item"]
    person = getattr(context.get("user"), "pk", None)
    return item.project.kind.dealt(context["facts"], slots.dealt_to(item, person))


@register.filter
def state_of(states: Mapping[str, field_states.FieldState], name: str) -> field_states.FieldState:
    """The state of the field with this name, where a form is made of data."""
    return states[name]


@register.filter
def together(first: field_states.FieldState, second: field_states.FieldState) -> field_states.FieldState:
    """Two fields that one control decides."""
    return field_states.together(first, second)


@register.filter
def anchor(path: str) -> str:
    """The id of the place that a finding is about: checklist[2] -> field-checklist-2."""
    return "field-" + path.replace("[", "-").replace("]", "").replace(".", "-")


@register.filter
def place(path: str) -> str:
    """The number, from one, of the row that a finding is about; empty for a whole field."""
    number = path.partition("[")[2].partition("]")[0]
    return str(int(number) + 1) if number.isdecimal() else ""


@register.filter
def label_of(finding: Finding, field_by_name: Mapping[str, Field]) -> str:
    """The form's label for the field of a finding."""
    field = field_by_name.get(finding.field)
    return str(field.label) if field else finding.path


@register.filter
def problem_at(state: field_states.FieldState, number: int) -> str:
    """The problem of one row (from 0) of a list; empty where there is none."""
    path = f"{state.name}[{number}]"
    return paragraph(finding.message for finding in state.problems if finding.path == path)


@register.filter
def spoken(value: str) -> str:
    """A value of a taxonomy in the reader's language; of a path such as `Task / Subtask` each part."""
    return " / ".join(gettext(part) if part else "" for part in str(value).split(" / "))


@register.filter
def label_spoken(label: str) -> str:
    """A label such as `Task;Subtask` in the reader's language."""
    return spoken(" / ".join(part.strip() for part in str(label).split(";")))


@register.simple_tag
def options_of(values: Sequence[str], selected_value: str) -> SafeString:
    """The options of a long list; they are the same for everybody and are rendered once."""
    return _options(tuple(values), selected_value, get_language())


@lru_cache(maxsize=512)
def _options(values: tuple[str, ...], selected_value: str, language: str) -> SafeString:
    rows = ((value, "selected" if value == selected_value else "", spoken(value)) for value in values)
    return format_html_join("", '<option value="{}" {}>{}</option>', rows)


@register.simple_tag(takes_context=True)
def keys_sheet(context: Context) -> SafeString:
    """The keyboard help behind “?”, the same on every page of one person."""
    return _sheet(tuple(keys.keys_of(context["user"].keys).items()), get_language())


@lru_cache(maxsize=256)
def _sheet(key_pairs: tuple[tuple[str, str], ...], language: str) -> SafeString:
    rows = [(keys.key_symbol(key), action.label) for (_name, key), action in zip(key_pairs, keys.ACTIONS, strict=True)]
    return render_to_string("work/_keys.html", {"rows": rows, "keep": keys.key_symbol(dict(key_pairs)["keep"])})


@register.simple_tag(takes_context=True)
def returned_at(context: Context, names: str) -> list[dict[str, Any]]:
    """The open threads of a returned item at these fields, for its author: `thread`, its `pin`, whether `answered`.

    Empty on every other page.
    """
    if context.get("read_only") or not context.get("sent_back"):
        return []
    author, wanted = context["user"].pk, names.split(",")
    return [
        {
            "thread": thread,
            "pin": Pin(thread.field, thread.span),
            "answered": any(reply.author_id == author for reply in thread.replies),
        }
        for thread in context["sent_back"]
        if thread.field.partition("[")[0] in wanted
    ]


@register.filter
def typed(value: Any) -> str:
    """A number as people type it, in any page language; empty for None."""
    return "" if value is None else str(value)


@register.filter
def duration(span: timedelta) -> str:
    """A span of time in hours and minutes."""
    hours, minutes = divmod(round(span.total_seconds() / 60), 60)
    if hours:
        return gettext("%(hours)d h %(minutes)d min") % {"hours": hours, "minutes": minutes}
    return gettext("%(minutes)d min") % {"minutes": minutes}


@register.simple_tag
def weight_meter(rows: Sequence[Mapping[str, Any]], total: float) -> SafeString:
    """A bar of the weights of a checklist, with the part that is missing to 1."""
    weights = [row["weight"] for row in rows if isinstance(row["weight"], int | float)]
    parts = [(str(1 + number % 2), weight) for number, weight in enumerate(weights)]
    label = gettext("Weights add up to %(sum)s of 1") % {"sum": round(total, 4)}
    return meter_parts([*parts, ("gap", 1 - total if total < 0.9995 else 0)], label)


@register.filter
def left_to_give(total: float) -> str:
    """How far the sum of weights is from 1, in words; empty if it is 1."""
    missing = round(1 - total, 3)
    if not missing:
        return ""
    words = gettext("{n} left.") if missing > 0 else gettext("{n} too much.")
    return words.replace("{n}", f"{abs(missing):g}")


@register.simple_tag(takes_context=True)
def key(context: Context, action: str) -> str:
    """The key of an action for this person, as it is displayed."""
    return keys.key_symbol(keys.keys_of(context["user"].keys)[action])
