"""The form of one card of the editor: the settings of a shown column, of a question, of a score or of the whole."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BoundField
from django.forms.utils import ErrorDict, ErrorList
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.definitions.setting_fields import EDITORS, Offered
from annotate.kinds.questions.controls import SettingControl
from annotate.kinds.questions.definition import QUESTION_TYPES, Shown
from annotate.kinds.questions.types.turns import EACH_TURN, ON_EACH, TURN_CONTROLS
from annotate.option_forms.forms import SettingsForm
from lib.texts.yaml_core import BadYaml, read_yaml, write_yaml

PREFIX, WHOLE = "card", "whole"
DECIDING = ("type", "on_each", "sum")  # other controls depend on these
# These come at once where there are scripts, and with the next button elsewhere.
AT_ONCE = {
    "hx-post": "",
    "hx-trigger": "change",
    "hx-vals": '{"do": "1"}',
    "hx-target": "#editor",
    "hx-swap": "outerHTML",
}
OTHER = "other_settings"
SHOWN_AS = tuple((name, name) for name in get_args(Shown.model_fields["shown_as"].annotation))
SHOWN_CONTROLS = (
    SettingControl("field", "any_column", gettext_lazy("Column")),
    SettingControl("as", "listed", gettext_lazy("Shown as"), choices=SHOWN_AS, default="markdown"),
    SettingControl(
        "title", "words", gettext_lazy("Title"), gettext_lazy("People read it instead of the name of the column.")
    ),
    SettingControl(
        "against",
        "any_column",
        gettext_lazy("Older column"),
        gettext_lazy("For diff: the text it is compared with."),
    ),
    SettingControl(
        "alt",
        "any_column",
        gettext_lazy("Description"),
        gettext_lazy("For image: the column that says in words what it shows."),
    ),
    SettingControl(
        "language", "line", gettext_lazy("Programming language"), gettext_lazy("For code, such as python: its colours.")
    ),
    SettingControl("optional", "switch", gettext_lazy("Rows may lack this column"), default=False),
)
OFFERED_TYPES = [(name, name) for name, question_type in QUESTION_TYPES.items() if question_type.offered]
BEFORE_OWN = (
    SettingControl("ask", "words", gettext_lazy("Question")),
    SettingControl(
        "name", "line", gettext_lazy("Name"), gettext_lazy("Used for its answers in files: letters, digits, _ and -.")
    ),
    SettingControl("type", "listed", gettext_lazy("Type"), choices=OFFERED_TYPES),
    SettingControl("help", "words", gettext_lazy("Help text"), gettext_lazy("Shown beside the question.")),
)
AFTER_OWN = (
    SettingControl("required", "switch", gettext_lazy("Required"), default=True),
    SettingControl(
        "when",
        "conditions",
        gettext_lazy("Asked only if"),
        gettext_lazy("Answers to earlier questions; all conditions must hold. Without any, it is always asked."),
    ),
)
OF_THE_CHANGE = (
    SettingControl(
        "formerly",
        "retired",
        gettext_lazy("Name before"),
        gettext_lazy("Takes over the answers of the question that had this name."),
    ),
    SettingControl(
        "was",
        "renames",
        gettext_lazy("Values before"),
        gettext_lazy("What values of the version before are called now."),
    ),
)


SCORE_CONTROLS = (
    SettingControl("name", "line", gettext_lazy("Name"), gettext_lazy("Used in reports: letters, digits, _ and -.")),
    SettingControl("sum", "marking", gettext_lazy("Question"), gettext_lazy("Its spans are counted.")),
    SettingControl(
        "rules",
        "rules",
        gettext_lazy("Rules"),
        gettext_lazy("In order: the first that fits a span gives its points. A category stands for all its labels."),
    ),
    SettingControl("lower_is_better", "switch", gettext_lazy("Lower is better"), default=False),
)
WHOLE_CONTROLS = (
    SettingControl(
        "unit",
        "any_column",
        gettext_lazy("Column"),
        gettext_lazy("Items with the same value go to one person, in their order, and are resampled together."),
    ),
)
CONTROLS = {"show": SHOWN_CONTROLS, "scores": SCORE_CONTROLS, WHOLE: WHOLE_CONTROLS}


def controls_of(part: str, value: Mapping[str, Any]) -> Sequence[SettingControl]:
    """The controls of a shown column, a score or the whole definition, or of a question of its type."""
    if part in CONTROLS:
        return CONTROLS[part]
    question_type = QUESTION_TYPES.get(str(value.get("type")))
    own = (*_about_turns(value), *(question_type.controls if question_type else ()))
    return (*BEFORE_OWN, *own, *AFTER_OWN, *OF_THE_CHANGE)


def _about_turns(value: Mapping[str, Any]) -> Sequence[SettingControl]:
    if value.get("type") not in EACH_TURN:
        return ()
    return (ON_EACH, *TURN_CONTROLS) if "on_each" in value else (ON_EACH,)


class CardForm(SettingsForm, forms.Form):
    """One part of a definition by form controls. Settings that no control can show are YAML in a box of their own.

    part: show, questions, scores or whole. value: the part as it is; an unchanged setting is kept to the letter.
    """

    def __init__(self, data: Any, *, part: str, value: Mapping[str, Any], offered: Offered) -> None:
        super().__init__(data, prefix=WHOLE if part == WHOLE else PREFIX)
        self.value = dict(value)
        self.controls = {control.name: control for control in controls_of(part, value)}
        self._faults = ErrorDict()
        fields: dict[str, Any] = self.fields
        for control in self.controls.values():
            if field := self._field(control, offered):
                fields[control.name] = field
                fields[control.name].optional_unsaid = True
        for name in fields.keys() & DECIDING:
            fields[name].widget.attrs |= AT_ONCE
        self._others = {name: setting for name, setting in value.items() if name not in fields}
        if self._others or self._has_no_own_controls(part):
            fields[OTHER] = YamlField(initial=self._others)

    def _field(self, control: SettingControl, offered: Offered) -> forms.Field | None:
        editor = EDITORS[control.kind]
        present = control.name in self.value
        setting = self.value.get(control.name)
        if present and not editor.fits(setting):
            return None
        field = editor.field(control, offered, setting)
        if field is not None:
            field.initial = editor.shown(setting) if present else control.default
        return field

    def _has_no_own_controls(self, part: str) -> bool:
        question_type = QUESTION_TYPES.get(str(self.value.get("type")))
        return part == "questions" and (question_type is None or not question_type.controls)

    def written(self) -> dict[str, Any]:
        """The part with what was changed. The form is valid."""
        value = dict(self.value)
        for name in self.changed_data:
            if name != OTHER:
                control = self.controls[name]
                setting = EDITORS[control.kind].stored(self.cleaned_data[name])
                value.pop(name, None)
                if setting not in (None, "", [], control.default):
                    value[name] = setting
        if "on_each" in self.changed_data and "on_each" not in value:
            value = {name: setting for name, setting in value.items() if name not in ("of", "roles")}
        if OTHER in self.changed_data:
            settings = {name: setting for name, setting in value.items() if name not in self._others}
            value = settings | self.cleaned_data[OTHER]
        return self._in_order(value)

    def _in_order(self, value: dict[str, Any]) -> dict[str, Any]:
        """New settings stand where their controls do."""
        if set(value) <= set(self.value):
            return {name: value[name] for name in self.value if name in value}
        places = {name: index for index, name in enumerate(_written_order(self.controls))}
        return dict(sorted(value.items(), key=lambda setting: places.get(setting[0], len(places))))

    # --- faults: of the whole definition, at the control that they are about ------------------------------------------
    def blame(self, name: str, message: str) -> None:
        """Show a fault of the definition at this setting, or above the form if no control is about it."""
        place = name if name in self.fields else OTHER if name and OTHER in self.fields else None
        if self.is_bound:
            self.add_error(place, message)
        else:
            self._faults.setdefault(place or NON_FIELD_ERRORS, ErrorList()).append(message)

    @property
    def errors(self) -> ErrorDict:
        return super().errors if self.is_bound else self._faults

    @property
    def laid_out(self) -> Iterator[tuple[BoundField, bool]]:
        """(field, whether it needs the whole width), without what is about the version before."""
        later = {control.name for control in OF_THE_CHANGE}
        for name in self.fields:
            if name not in later:
                yield self[name], name == OTHER or EDITORS[self.controls[name].kind].wide

    @property
    def of_the_change(self) -> list[BoundField]:
        return [self[control.name] for control in OF_THE_CHANGE if control.name in self.fields]

    @property
    def says_of_the_change(self) -> bool:
        return any(control.name in self.value or self.errors.get(control.name) for control in OF_THE_CHANGE)


def _written_order(controls: Mapping[str, SettingControl]) -> list[str]:
    """Name and type first, as people write definitions."""
    return list(dict.fromkeys(["name", "type", *controls]))


class YamlField(forms.CharField):
    """Settings as YAML: an object."""

    def __init__(self, **options: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "code-input", "dir": "ltr"})
        super().__init__(
            **options, label=gettext_lazy("Other settings, as YAML"), required=False, strip=False, widget=widget
        )

    def prepare_value(self, value: Any) -> Any:
        return write_yaml(value, opened=1) if isinstance(value, dict) and value else value or ""

    def to_python(self, value: Any) -> dict[str, Any]:  # type: ignore[override]  # a CharField that reads an object
        try:
            settings = read_yaml((value or "").replace("\r\n", "\n")).value
        except BadYaml as bad:
            message = _("line %(line)d: %(message)s") % {"line": bad.place.line, "message": bad.message}
            raise forms.ValidationError(message) from bad
        if not isinstance(settings, dict | None):
            raise forms.ValidationError(_("Write one setting a line, such as `most: 3`."))
        return settings or {}

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return self.to_python(data) != (initial or {})
        except forms.ValidationError:
            return True
