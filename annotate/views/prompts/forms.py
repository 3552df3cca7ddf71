from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Endpoint
from annotate.services.endpoints import to_choose_from
from annotate.services.prompts import LONGEST
from annotate.services.prompts.pages import History


class PromptForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("What the model is told"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "prompt-input"}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class TryForm(forms.Form):
    """Which two wordings, where, and what it may cost."""

    version = forms.ChoiceField(label=gettext_lazy("The wording to try"))
    before = forms.ChoiceField(label=gettext_lazy("Beside"))
    endpoint = forms.ModelChoiceField(
        label=gettext_lazy("Endpoint"), queryset=Endpoint.objects.none(), to_field_name="name", empty_label=None
    )
    budget = forms.DecimalField(
        label=gettext_lazy("USD at most, for each of the two"),
        min_value=Decimal("0.01"),
        max_value=Decimal(1000),
        max_digits=8,
        decimal_places=4,
        initial=Decimal(1),
        widget=forms.NumberInput(attrs={"step": "any", "min": "0.01"}),
    )

    def __init__(self, *args: Any, history: History, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(one.ref, one.name if one.adopted else f"{one.name}, {_('not in use')}") for one in history.wordings]
        fields: dict[str, Any] = self.fields
        fields["version"].choices = fields["before"].choices = choices
        fields["endpoint"].queryset = to_choose_from()
        fields["endpoint"].label_from_instance = _named

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("version") and given.get("version") == given.get("before"):
            self.add_error("before", _("This is the same wording. Choose another one to compare with."))
        return given


def _named(endpoint: Endpoint) -> str:
    name = f"{endpoint.name} ({endpoint.model})"
    return _("%(name)s, simulated") % {"name": name} if endpoint.simulated else name
