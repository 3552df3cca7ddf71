from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Item, Project
from annotate.releases.actions import ANY, ReleaseFilters, fault_of_splits

SPLITS = ("train", "dev", "test")


def _share() -> forms.FloatField:
    return forms.FloatField(required=False, min_value=0, max_value=1, widget=forms.NumberInput(attrs={"step": "0.01"}))


class ReleaseForm(forms.Form):
    """The form for a new release."""

    state = forms.ChoiceField(label=gettext_lazy("Items"), initial=Item.State.ACCEPTED)
    groups = forms.MultipleChoiceField(
        label=gettext_lazy("Only these groups"), required=False, widget=forms.CheckboxSelectMultiple
    )
    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Only these languages"), required=False, widget=forms.CheckboxSelectMultiple
    )
    train, dev, test = _share(), _share(), _share()
    seed = forms.IntegerField(
        label=gettext_lazy("Split seed"),
        initial=0,
        min_value=0,
        max_value=2**31,
        required=False,
        help_text=gettext_lazy("With the same seed, a row stays in its split as the dataset grows."),
    )
    note = forms.CharField(label=gettext_lazy("Note"), max_length=200, required=False)
    licence = forms.CharField(label=gettext_lazy("Licence"), max_length=80, required=False)

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        states = [(state, label) for state, label in Item.State.choices if state != Item.State.ACCEPTED]
        accepted = (Item.State.ACCEPTED.value, _("accepted"))
        self._choose("state", [accepted, (ANY, _("all, best text of each")), *states])
        items = Item.objects.counted().filter(project=project)
        self._choose_or_drop("groups", items.order_by("group").values_list("group", flat=True).distinct())
        self._choose_or_drop("languages", items.order_by("language").values_list("language", flat=True).distinct())
        self.fields["licence"].initial = project.licence
        for name in SPLITS:
            self.fields[name].label = _("Share of “%(name)s”") % {"name": name}

    def _choose(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _choose_or_drop(self, name: str, values: Iterable[str]) -> None:
        """Set the choices of a field, or remove the field if it has only one value."""
        choices = list(values)
        if len(choices) > 1:
            self._choose(name, [(value, value) for value in choices if value])
        else:
            del self.fields[name]

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        fault = fault_of_splits(self._splits(cleaned_data))
        if fault:
            self.add_error("train", fault)
        return cleaned_data

    @staticmethod
    def _splits(cleaned_data: dict[str, Any]) -> dict[str, float]:
        return {name: cleaned_data[name] for name in SPLITS if cleaned_data.get(name)}

    def filters(self) -> ReleaseFilters:
        cleaned_data = self.cleaned_data
        return ReleaseFilters(
            state=cleaned_data["state"],
            groups=cleaned_data.get("groups", []),
            languages=cleaned_data.get("languages", []),
            splits=self._splits(cleaned_data),
            seed=cleaned_data["seed"] or 0,
        )
