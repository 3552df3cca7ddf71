"""The forms of runs: fields made from a purpose's options (a pydantic model), the plan, and the budget."""

import json
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from annotate.engine.endpoints import to_choose_from
from annotate.engine.forms import filled_in, run_fields
from annotate.engine.purposes import Following
from annotate.engine.wire import PARAMETERS
from annotate.kinds.contract import Kind
from annotate.kinds.shapes import faults
from annotate.models import Endpoint, Run

PREFIX = "option-"
ONE_LINE = 1000  # characters; a longer value gets a field of several lines


def fields_of(options: type[BaseModel]) -> dict[str, forms.Field]:
    """`option-<name>` -> a field for it, with the model's default filled in."""
    return {f"{PREFIX}{name}": _field(name, info) for name, info in options.model_fields.items()}


def _field(name: str, info: FieldInfo) -> forms.Field:
    value_type, may_be_left_out = _type_of(info)
    arguments: dict[str, Any] = {
        "label": _(info.title) if info.title else name.replace("_", " "),
        "help_text": _(info.description) if info.description else "",
        "initial": None if info.is_required() else info.get_default(call_default_factory=True),
        "required": info.is_required() and not may_be_left_out,
    }
    if value_type is bool:
        return forms.BooleanField(**arguments | {"required": False})
    choices = _choices(value_type, info)
    if choices and get_origin(value_type) is list:
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **arguments)
    if choices:
        values = {str(value): value for value, _label in choices}
        offered = choices if arguments["required"] or arguments["initial"] is not None else [("", "–"), *choices]
        return forms.TypedChoiceField(choices=offered, coerce=values.get, empty_value=None, **arguments)
    if value_type is int:
        return forms.IntegerField(**_limits(info), **arguments)
    if value_type is float:
        return forms.FloatField(**_limits(info), widget=forms.NumberInput(attrs={"step": "any"}), **arguments)
    if get_origin(value_type) is list:
        arguments["initial"] = ", ".join(map(str, arguments["initial"] or []))
        return WordLineField(**arguments)
    if _longest(info) > ONE_LINE:
        arguments["widget"] = forms.Textarea(attrs={"rows": 4})
    return forms.CharField(max_length=_longest(info), **arguments)


class WordLineField(forms.CharField):
    """Several values in one line, separated by commas."""

    def to_python(self, value: Any) -> Any:
        return [word.strip() for word in (value or "").split(",") if word.strip()]


def _type_of(info: FieldInfo) -> tuple[Any, bool]:
    """The type without its None, and whether it had one."""
    value_type = info.annotation
    if get_origin(value_type) in (Union, UnionType):
        members = [member for member in get_args(value_type) if member is not NoneType]
        return members[0], len(members) < len(get_args(value_type))
    return value_type, False


def _choices(value_type: Any, info: FieldInfo) -> list[tuple[Any, str]]:
    """The choices of a value, or of a list's entries; named by `labels` in the field's `json_schema_extra`, else by
    value.
    """
    extra = info.json_schema_extra
    labels: Any = extra.get("labels", {}) if isinstance(extra, dict) else {}
    if get_origin(value_type) is list:
        value_type = get_args(value_type)[0]
    if get_origin(value_type) is Literal:
        return [(value, str(labels[value]) if value in labels else _(str(value))) for value in get_args(value_type)]
    if isinstance(value_type, type) and issubclass(value_type, Enum):
        return [(member.value, str(getattr(member, "label", member.value))) for member in value_type]
    return []


def _limits(info: FieldInfo) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for rule in info.metadata:
        if isinstance(rule, (Ge, Gt)):
            limits["min_value"] = rule.ge if isinstance(rule, Ge) else rule.gt
        if isinstance(rule, (Le, Lt)):
            limits["max_value"] = rule.le if isinstance(rule, Le) else rule.lt
    return limits


def _longest(info: FieldInfo) -> int:
    return next((rule.max_length for rule in info.metadata if isinstance(rule, MaxLen)), 500)


def parse_options(options: type[BaseModel], cleaned: dict[str, Any]) -> dict[str, Any]:
    """The filled-in values by option; an empty one keeps its default.

    Raises pydantic's ValidationError if the values contradict each other.
    """
    filled = {
        name: cleaned[f"{PREFIX}{name}"]
        for name in options.model_fields
        if cleaned.get(f"{PREFIX}{name}") not in (None, "")
    }
    return options.model_validate(filled).model_dump(mode="json", exclude_unset=True)


REAL_FIRST = ("simulated", "name")  # the order of endpoints
LARGEST = Decimal("99999999")


def _budget(**more: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=gettext_lazy("Budget in USD"),
        min_value=Decimal("0.01"),
        max_value=LARGEST,
        max_digits=12,
        decimal_places=4,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0.01"}),
        **more,
    )


class PlanForm(forms.Form):
    """A run's plan: its endpoint, its limits, and the options of its purpose.

    Its fields begin with `run-`, because the fields of the list's filters are in the same form.
    """

    endpoint = forms.ModelChoiceField(
        label=gettext_lazy("Endpoint"), queryset=Endpoint.objects.none(), to_field_name="name", empty_label=None
    )
    limit = forms.IntegerField(label=gettext_lazy("Job limit"), min_value=1, max_value=10_000_000, required=False)
    budget = _budget(
        required=False,
        help_text=gettext_lazy(
            "Calls in flight count at their highest price. Exceeded only if a service ignores the reply limit."
        ),
    )
    shares_replies = forms.BooleanField(
        label=gettext_lazy("Reuse identical requests (cache)"),
        required=False,
        help_text=gettext_lazy("Only at temperature 0: the reply is used for every job with the same request."),
    )

    prefix = "run"

    def __init__(
        self,
        *args: Any,
        asked: type[BaseModel],
        kind: Kind,
        following: Following | None = None,
        **options: Any,
    ) -> None:
        """asked: the options of the purpose. kind: the project's. following: see Purpose."""
        super().__init__(*args, **options)
        self.asked = asked
        self.following = following or {}
        offer_endpoints(self.fields["endpoint"], kind)
        self.fields |= run_fields()
        self.fields |= fields_of(asked)
        self._follow_endpoint()

    def _follow_endpoint(self) -> None:
        """Fill the options that follow the endpoint. The page sends their first values too, to tell typed ones apart.

        A value that an address gives without an endpoint was chosen, so it does not follow.
        """
        if not self.following:
            return
        is_given = "endpoint" in self.initial
        endpoint = self.initial.setdefault("endpoint", self._likely_endpoint())
        self.fields["endpoint"].show_hidden_initial = True
        for option, by_endpoint in self.following.items():
            name, field = f"{PREFIX}{option}", self.fields[f"{PREFIX}{option}"]
            field.show_hidden_initial = is_given or name not in self.initial
            value = self.initial.setdefault(name, by_endpoint.get(endpoint, ""))
            if field.show_hidden_initial:
                field.widget.attrs["data-follows"] = json.dumps({**by_endpoint, endpoint: value}, ensure_ascii=False)

    def _likely_endpoint(self) -> str:
        """The endpoint whose values the form already has, else the first."""
        offered = list(to_choose_from().order_by(*REAL_FIRST).values_list("name", flat=True))
        for option, by_endpoint in self.following.items():
            value = self.initial.get(f"{PREFIX}{option}")
            offered.sort(key=lambda name: by_endpoint.get(name) != value if value else False)
        return offered[0] if offered else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and "endpoint" in self.changed_data:
            for option, by_endpoint in self.following.items():
                name = f"{PREFIX}{option}"
                if name not in self.changed_data:
                    cleaned[name] = by_endpoint.get(cleaned["endpoint"].name, cleaned[name])
        if not self.errors:
            try:
                self._own = parse_options(self.asked, cleaned)
            except ValidationError as error:
                raise forms.ValidationError([f"{fault.path}: {fault.message}" for fault in faults(error)]) from error
        return cleaned

    def options(self) -> dict[str, Any]:
        """What the run stores besides its items."""
        limit = self.cleaned_data["limit"]
        return self._own | ({"limit": limit} if limit else {})

    def parameters(self) -> dict[str, Any]:
        return filled_in(self.cleaned_data)

    @property
    def general(self) -> list[Any]:
        names = [name for name in self.fields if not name.startswith(PREFIX)]
        return [self[name] for name in names if name not in PARAMETERS]

    @property
    def sent_with_questions(self) -> list[Any]:
        return [self[name] for name in PARAMETERS]

    @property
    def parameters_in_use(self) -> bool:
        return any(field.errors or field.value() for field in self.sent_with_questions)

    @property
    def own(self) -> list[Any]:
        return [self[name] for name in self.fields if name.startswith(PREFIX)]


class _RealFirst(forms.models.ModelChoiceIterator):
    """Endpoints of real models, then the simulated ones in a group of their own; no group if all are of one sort."""

    def __iter__(self) -> Iterator[Any]:
        choices: dict[bool, list[Any]] = {is_simulated: [] for is_simulated in (False, True)}
        for endpoint in self.queryset:
            choices[endpoint.simulated].append(self.choice(endpoint))
        if choices[False] and choices[True]:
            return iter([*choices[False], (_("Simulated, to try things out"), choices[True])])
        return iter(choices[False] or choices[True])


def offer_endpoints(field: Any, kind: Kind) -> None:
    """Fill the choice of an endpoint, and say which take images where items of this kind show any."""
    field.iterator = _RealFirst
    field.queryset = to_choose_from().order_by(*REAL_FIRST)
    field.help_text = _about_images(kind)
    field.label_from_instance = _name_with_images if field.help_text else _endpoint_name


def _endpoint_name(endpoint: Endpoint) -> str:
    name = f"{endpoint.name} ({endpoint.model})"
    return _("%(name)s, simulated") % {"name": name} if endpoint.simulated else name


def _name_with_images(endpoint: Endpoint) -> str:
    takes = _("%(name)s, takes images") if endpoint.takes_images else _("%(name)s, text only")
    return takes % {"name": _endpoint_name(endpoint)}


def _about_images(kind: Kind) -> str:
    """What endpoints do with images, where items of this kind show any; else ""."""
    if kind.image_columns:
        return _("Items show images, so only endpoints that take images can be used; they are sent with the questions.")
    if kind.transcript_columns:
        return _(
            "Endpoints that take images are sent those that transcripts show. The others read the text, which names "
            "them."
        )
    return ""


class BudgetForm(forms.Form):
    """A larger budget for a run that has one."""

    budget = _budget()

    def __init__(self, *args: Any, run: Run, **options: Any) -> None:
        super().__init__(*args, **options)
        self.run = run

    def clean_budget(self) -> Decimal:
        budget: Decimal = self.cleaned_data["budget"]
        if self.run.budget is not None and budget <= self.run.budget:
            raise forms.ValidationError(
                _("It is $%(now)s now. Enter a larger amount.") % {"now": f"{self.run.budget.normalize():f}"}
            )
        return budget
