"""Template tags and filters for scores: points, intervals, names of columns, links for sorting. No queries."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.utils.formats import get_format, number_format
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from judging.ratings.leaderboards import AuthorStanding
from judging.verdicts.judges import newest_choices
from lib.stats.averages import as_published
from lib.stats.figures import FEW, FEW_OF_A_MEAN

register = template.Library()
register.simple_tag(newest_choices)

NONE = "–"
# Names of table columns; further scenarios of a kind keep their own word.
COLUMNS: dict[str, Promise] = {
    "error_correction": gettext_lazy("Error correction"),
    "response_maintenance": gettext_lazy("Response maintenance"),
    "overall": gettext_lazy("Overall"),
}
SHORT: dict[str, Promise] = {
    "error_correction": pgettext_lazy("short for error correction", "EC"),
    "response_maintenance": pgettext_lazy("short for response maintenance", "RM"),
    "overall": gettext_lazy("Overall"),
}
DIVISIONS: dict[str, Promise] = {
    "task": gettext_lazy("Task"),
    "subtask": gettext_lazy("Subtask"),
    "error_type": gettext_lazy("Deficiency"),
    "feedback_type": gettext_lazy("Feedback type"),
}
RULES: dict[str, Promise] = {
    "weights": gettext_lazy("weighted"),
    "any": gettext_lazy("lenient: any criterion"),
    "all": gettext_lazy("strict: all criteria"),
}
JOINED: dict[str, Promise] = {
    "position": gettext_lazy("matched by position"),
    "close": gettext_lazy("matched by similarity"),
    "none": gettext_lazy("not mentioned by the judge"),
    "surplus": gettext_lazy("fits no question"),
}


@register.filter
def points(value: float | None, decimals: int = 2) -> str:
    """A score of 0 to 1 in the published form: 0..100, with two decimals."""
    if value is None:
        return NONE
    text = f"{as_published(value):.{decimals}f}"
    return text.replace(".", get_format("DECIMAL_SEPARATOR")) if decimals else text


@register.filter
def signed(value: float | None, decimals: int = 2) -> str:
    """A difference of scores as points of 100, with its sign and a real minus."""
    if value is None:
        return NONE
    sign = "−" if value < 0 else "+" if value > 0 else ""
    return sign + points(abs(value), decimals)


@register.filter
def between(bounds: tuple[float, float] | None) -> str:
    """An interval of scores."""
    return NONE if bounds is None else f"{points(bounds[0], 1)}–{points(bounds[1], 1)}"


@register.filter
def between_or_note(standing: AuthorStanding, column: str) -> str:
    """The interval of a model's average, or in two words why it has none."""
    note = standing.notes.get(column)
    if note is None:
        return between(standing.intervals.get(column))
    return _("too few") if note == FEW_OF_A_MEAN else _("all alike")


@register.filter
def coefficient(value: float | None) -> str:
    return NONE if value is None else number_format(f"{value:.2f}", 2).replace("-", "−")


@register.filter
def ranks(pair: tuple[int, int] | None) -> str:
    """Best and worst rank: 3, or 2–5."""
    if pair is None:
        return NONE
    best, worst = pair
    return str(best) if best == worst else f"{best}–{worst}"


@register.filter
def at(mapping: dict[str, object] | None, key: str) -> object:
    """mapping[key], or None."""
    return None if mapping is None else mapping.get(key)


@register.filter
def column_name(name: str) -> str:
    return str(COLUMNS.get(name, name))


@register.filter
def column_short(name: str) -> str:
    return str(SHORT.get(name, name))


@register.filter
def division_name(name: str) -> str:
    return str(DIVISIONS.get(name, name))


@register.filter
def rule_name(name: str) -> str:
    return str(RULES.get(name, name))


@register.filter
def joined_name(name: str) -> str:
    return str(JOINED.get(name, ""))


@register.simple_tag
def hidden_fields(parameters: Iterable[tuple[str, str]], without: str = "") -> SafeString:
    """The query string as hidden fields of a form that changes only the parameters in `without`."""
    fields = [(name, value) for name, value in parameters if name not in without.split()]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', fields)


@register.simple_tag(takes_context=True)
def behind(context: Context, **parameters: str | None) -> str:
    """The address of the answers behind a number. Needs items_address."""
    return answers_behind(str(context["items_address"]), **parameters)


def answers_behind(items_address: str, **parameters: str | None) -> str:
    """The address of the answers of one author, other, scenario, by, group, which."""
    scenario = parameters.get("scenario")
    query = {
        name: value for name, value in parameters.items() if value and (name != "scenario" or scenario != "overall")
    }
    return f"{items_address}&{urlencode(query)}" if query else items_address


@register.simple_tag(takes_context=True)
def sort_link(context: Context, column: str) -> str:
    return f"?{context['options'].sorting(column)}"


@register.simple_tag(takes_context=True)
def page_link(context: Context, start: int, rows: str = "") -> str:
    """The query string of the page of models that begins there; rows: `all` for all of them."""
    return str(context["options"].address_with(start=start, rows=rows))


@register.simple_tag(takes_context=True)
def sort_state(context: Context, column: str) -> str:
    """The value for aria-sort."""
    query = context["options"]
    if query.sorted_by != column:
        return "none"
    return "descending" if query.falling else "ascending"


@register.filter
def is_few(n: int | None) -> bool:
    """Whether a figure is based on so few units that every board shows it in grey."""
    return n is not None and 0 < n < FEW
