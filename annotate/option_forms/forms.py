"""What all forms of settings share: sections, tables with buttons for rows, and the values as they were opened."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.option_forms.fields import BoundRows, JsonText, RowsField
from annotate.option_forms.meanwhile import PREFIX, SettingsClash, plain

NAMED = 8  # people or groups that an effect lists


@dataclass(frozen=True)
class Effect:
    """One sentence with its number. stops: somebody has to do something before work goes on, or work is refused.

    n: how many it concerns; None where that cannot be counted. names: of the people or groups concerned.
    """

    text: str
    n: int | None = None
    stops: bool = False
    names: Sequence[str] = ()

    @property
    def listed(self) -> str:
        """The names in one line; those beyond `NAMED` are counted."""
        listed = ", ".join(self.names[:NAMED])
        return f"{listed} … (+{len(self.names) - NAMED})" if len(self.names) > NAMED else listed


ROW_BUTTONS = ("remove_row", "add_row", "raise_row")  # of a table
Section = tuple[str | Promise, Sequence[str]]


def opened_in(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values with which a posted page was opened; empty if they cannot be read."""
    try:
        opened = JsonText().clean((data or {}).get("opened") or "{}")
    except forms.ValidationError:
        return {}
    return opened if isinstance(opened, dict) else {}


class SettingsForm(forms.BaseForm):
    """Mixed into a form of settings; `remember` comes after its fields are there."""

    sections: Sequence[Section] = ()  # heading, names of fields

    def remember(self, stored: Mapping[str, Any]) -> None:
        """Put the stored values into the page, so that saving notices what somebody else has changed meanwhile."""
        self.fields["opened"] = JsonText(required=False, widget=forms.HiddenInput, initial=plain(stored))
        if self.is_bound:  # what a program does not send stays as it is
            options = {name: field for name, field in self.fields.items() if name.startswith(PREFIX)}
            for name in [name for name, field in options.items() if self._is_omitted(name, field)]:
                del self.fields[name]

    def _is_omitted(self, name: str, field: forms.Field) -> bool:
        return field.widget.value_omitted_from_data(self.data, self.files, self.add_prefix(name))

    @property
    def opened(self) -> dict[str, Any]:
        """The values that the page was opened with; those stored now if a program does not send them."""
        opened = getattr(self, "cleaned_data", {}).get("opened")
        return opened if isinstance(opened, dict) else dict(self.fields["opened"].initial)

    @property
    def grouped(self) -> list[tuple[str | Promise, list[BoundField]]]:
        """The visible fields by section; those that no section names come last, without a heading."""
        named = {name for _heading, names in self.sections for name in names}
        rest = [name for name, field in self.fields.items() if name not in named and not field.widget.is_hidden]
        groups = [(heading, [self[name] for name in names if name in self.fields]) for heading, names in self.sections]
        return [(heading, fields) for heading, fields in [*groups, ("", [self[name] for name in rest])] if fields]

    def edited_rows(self) -> BoundRows | None:
        """The table of which a button adds or removes a row, with that done; None if no such button was pressed."""
        button = next((name for name in ROW_BUTTONS if name in self.data), "")
        html_name, _colon, written = self.data.get(button, "").partition(":")
        name = html_name.removeprefix(f"{self.prefix}-") if self.prefix else html_name
        field = self.fields.get(name)
        if not isinstance(field, RowsField):
            return None
        rows = field.widget.value_from_datadict(self.data, self.files, html_name)
        index = int(written) if written.isdecimal() and len(written) < 6 else len(rows)
        if button == "add_row":
            rows.append({})
        elif button == "remove_row":
            del rows[index : index + 1]
        elif 0 < index < len(rows):
            rows[index - 1 : index + 1] = [rows[index], rows[index - 1]]
        changed: Any = self.data
        self.data = changed = changed.copy()
        for column in field.columns:
            changed.setlist(f"{html_name}-{column.name}", [row.get(column.name, "") for row in rows])
        bound: Any = self[name]
        bound.added, bound.edited = button == "add_row", True
        bound.moved = index - 1 if button == "raise_row" else None
        return bound

    def show_clash(self, clash: SettingsClash) -> None:
        """An error at each field that both have changed; saving again then stores what is in the form."""
        opened = self.opened | {name: plain(clash.stored.get(name)) for name in clash.names}
        opened = {name: value for name, value in opened.items() if name in clash.stored or name not in clash.names}
        posted: Any = self.data
        self.data = posted = posted.copy()
        posted["opened"] = json.dumps(opened)
        for name in clash.names:
            value = self._in_words(name, clash.stored[name]) if name in clash.stored else _("the default")
            what = {"who": clash.by or _("Somebody"), "value": value}
            message = _("%(who)s has changed this to “%(value)s” since you opened the page. Save again to store yours.")
            self.add_error(name if name in self.fields else None, message % what)

    def _in_words(self, name: str, value: Any) -> str:
        """A stored value as the form would show it."""
        field: Any = self.fields.get(name)
        shown = field.prepare_value(value) if field else value
        if choices := getattr(field, "choices", None):
            shown = str(dict(choices).get(shown, shown))
        text = shown if isinstance(shown, str) else json.dumps(plain(shown), ensure_ascii=False)
        return text if len(text) <= LONGEST else text[:LONGEST] + "…"


LONGEST = 200


def settings_answer(
    request: HttpRequest,
    form: Any,
    *,
    page: Callable[..., HttpResponse],
    effects: Callable[[], Sequence[Effect]],
    save: Callable[[], HttpResponse],
    blamed: str | None = None,
) -> HttpResponse:
    """The page, one of its tables after a button, the preview of the effects, or the answer after saving.

    page: takes a status and more context. effects, save: called with a valid form; save may raise Refused and
    SettingsClash. blamed: the field at which a refusal stands.
    """
    if request.method != "POST" or not form.is_bound:
        return page()
    is_htmx = bool(request.htmx)  # type: ignore[attr-defined]  # set by django-htmx's middleware
    if rows := form.edited_rows():
        changed = {"previewed": True, "effects": effects()} if not is_htmx and form.is_valid() else {}
        form.errors.clear()
        if is_htmx:
            answer = render(request, "option_forms/_rows.html", {"field": rows, "action": request.path})
            answer["HX-Trigger-After-Settle"] = "settings-edited"
            return answer
        return page(edited=True, **changed)
    if "preview" in request.POST:
        context = {"previewed": True, "effects": effects() if form.is_valid() else []}
        return render(request, "option_forms/_effects.html", context | {"form": form}) if is_htmx else page(**context)
    if not form.is_valid():
        return page(status=422)
    try:
        return save()
    except SettingsClash as clash:
        form.show_clash(clash)
        return page(status=409)
    except Refused as refused:
        form.add_error(blamed, str(refused))
        return page(status=422)
