from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ValidationError

from annotate.kinds.shapes import faults
from annotate.llm.wire import PARAMETERS
from annotate.models import Endpoint, Run
from annotate.services.endpoints import to_choose_from
from annotate.views.parameters import filled_in, run_fields
from annotate.views.runs import options as run_options

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
    """What a run does with the items: where it asks, how far it may go, and what its purpose wants to know.

    Its fields begin with `run-`, because those of the list's filters stand in the same form.
    """

    endpoint = forms.ModelChoiceField(
        label=gettext_lazy("Endpoint"), queryset=Endpoint.objects.none(), to_field_name="name", empty_label=None
    )
    limit = forms.IntegerField(
        label=gettext_lazy("At most this many jobs"), min_value=1, max_value=10_000_000, required=False
    )
    budget = _budget(
        required=False,
        help_text=gettext_lazy(
            "What is in flight counts at its highest price. Passed only where a service ignores the limit of a reply."
        ),
    )
    shares_replies = forms.BooleanField(
        label=gettext_lazy("Ask equal questions once"),
        required=False,
        help_text=gettext_lazy("Only where the temperature is 0: the reply is used for every job that asks the same."),
    )

    prefix = "run"

    def __init__(self, *args: Any, asked: type[BaseModel], **options: Any) -> None:
        """asked: the options of the purpose."""
        super().__init__(*args, **options)
        self.asked = asked
        endpoints: Any = self.fields["endpoint"]
        endpoints.queryset = to_choose_from()
        endpoints.label_from_instance = _named
        self.fields |= run_fields()
        self.fields |= run_options.fields_of(asked)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                self._own = run_options.read(self.asked, cleaned)
            except ValidationError as error:
                raise forms.ValidationError([f"{fault.path}: {fault.message}" for fault in faults(error)]) from error
        return cleaned

    def options(self) -> dict[str, Any]:
        """What the run keeps beside its items."""
        limit = self.cleaned_data["limit"]
        return self._own | ({"limit": limit} if limit else {})

    def parameters(self) -> dict[str, Any]:
        return filled_in(self.cleaned_data)

    @property
    def general(self) -> list[Any]:
        names = [name for name in self.fields if not name.startswith(run_options.PREFIX)]
        return [self[name] for name in names if name not in PARAMETERS]

    @property
    def sent_with_questions(self) -> list[Any]:
        return [self[name] for name in PARAMETERS]

    @property
    def parameters_in_use(self) -> bool:
        return any(field.errors or field.value() for field in self.sent_with_questions)

    @property
    def own(self) -> list[Any]:
        return [self[name] for name in self.fields if name.startswith(run_options.PREFIX)]


def _named(endpoint: Endpoint) -> str:
    name = f"{endpoint.name} ({endpoint.model})"
    return _("%(name)s, simulated") % {"name": name} if endpoint.simulated else name


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
                _("It is $%(now)s now. Give a larger one.") % {"now": f"{self.run.budget.normalize():f}"}
            )
        return budget
