"""What a lead says of a comparison of settings."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.models import Endpoint, Project
from annotate.services.endpoints import to_choose_from
from judging.models import Author
from judging.services.judge_settings.planning import LARGEST, LEAST, MOST, Setting, Wish

LARGEST_SEED = 2**31 - 1


class SettingsForm(forms.Form):
    """Five rows of judge and reference, of which two at least are filled in; a sample; whose answers."""

    size = forms.IntegerField(label=_("Cases to draw"), initial=200, min_value=1, max_value=LARGEST)
    seed = forms.IntegerField(
        label=_("Seed"), min_value=0, max_value=LARGEST_SEED, help_text=_("The same seed draws the same.")
    )
    authors = forms.MultipleChoiceField(
        label=_("Whose answers"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("None ticked: all but the references."),
    )
    budget = forms.DecimalField(
        label=_("Budget in USD, of each setting"),
        min_value=Decimal("0.01"),
        max_digits=12,
        decimal_places=4,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "min": "0.01"}),
    )

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        self.project = project
        endpoints = list(to_choose_from())
        self.endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        names = list(Author.objects.filter(project=project).values_list("name", flat=True))
        fields: dict[str, Any] = self.fields
        fields["authors"].choices = [(name, name) for name in names]
        judges = [("", "–"), *((endpoint.name, _named(endpoint)) for endpoint in endpoints)]
        references = [("", "–"), *((name, name) for name in names)]
        for number in range(1, MOST + 1):
            fields[f"judge_{number}"] = forms.ChoiceField(label=_("Judge"), choices=judges, required=number <= LEAST)
            fields[f"reference_{number}"] = forms.ChoiceField(
                label=_("Reference"), choices=references, required=number <= LEAST
            )
            # Said once, of the setting.
            fields[f"judge_{number}"].optional_unsaid = fields[f"reference_{number}"].optional_unsaid = True

    def rows(self) -> list[tuple[int, Any, Any]]:
        """Number, judge and reference of each setting, as bound fields."""
        return [(number, self[f"judge_{number}"], self[f"reference_{number}"]) for number in range(1, MOST + 1)]

    def others(self) -> list[Any]:
        return [self[name] for name in ("size", "seed", "authors", "budget")]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for number in range(1, MOST + 1):
            if number > LEAST and bool(cleaned.get(f"judge_{number}")) != bool(cleaned.get(f"reference_{number}")):
                self.add_error(f"reference_{number}", _("A setting has a judge and a reference."))
        return cleaned

    def wish(self) -> Wish:
        values = self.cleaned_data
        pairs = [(values[f"judge_{number}"], values[f"reference_{number}"]) for number in range(1, MOST + 1)]
        settings = [Setting(self.endpoints[judge], reference) for judge, reference in pairs if judge]
        return Wish(self.project, settings, values["size"], values["seed"], values["authors"])


def _named(endpoint: Endpoint) -> str:
    name = f"{endpoint.name} ({endpoint.model})"
    return str(_("%(name)s, simulated")) % {"name": name} if endpoint.simulated else name
