from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.models import Item, Project
from annotate.services.releasing.filters import ANY, Filters, fault_of_splits
from judging.services.training.base import AGREEING, ALL, CONSISTENT, NONE, SHARES, SPLITS, Chosen

JUDGES = [
    (CONSISTENT, gettext_lazy("those that say the same in both orders")),
    (AGREEING, gettext_lazy("of these those that say what people's label says")),
    (ALL, gettext_lazy("all that could be read")),
    (NONE, gettext_lazy("none: people's work alone")),
]


def _share(name: str) -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": "0.01"})
    return forms.FloatField(min_value=0, max_value=1, initial=SHARES[name], widget=widget)


class TrainingForm(forms.Form):
    """What goes into the files; read from the address, so that a choice can be linked."""

    state = forms.ChoiceField(label=gettext_lazy("Items"), initial=Item.State.ACCEPTED)
    judges = forms.ChoiceField(label=gettext_lazy("Verdicts of judges"), choices=JUDGES, initial=CONSISTENT)
    train, validation, test = (_share(name) for name in SPLITS)
    seed = forms.IntegerField(label=gettext_lazy("Seed of the splits"), initial=0, min_value=0, max_value=2**31)
    licence = forms.CharField(label=gettext_lazy("Licence"), max_length=80, required=False)

    def __init__(self, *args: Any, project: Project, **options: Any) -> None:
        super().__init__(*args, **options)
        states = [(state, label) for state, label in Item.State.choices if state != Item.State.ACCEPTED]
        accepted = (Item.State.ACCEPTED.value, _("accepted"))
        self.fields["state"].choices = [  # type: ignore[attr-defined]
            accepted,
            (ANY, _("all, each with its best text")),
            *states,
        ]
        self.fields["licence"].initial = project.licence
        for name in SPLITS:
            self.fields[name].label = _("Share of “%(name)s”") % {"name": name}

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        fault = None if self.errors else fault_of_splits(self._splits(values))
        if fault:
            self.add_error("train", fault)
        return values

    @staticmethod
    def _splits(values: dict[str, Any]) -> dict[str, float]:
        """Splits without a share are none; where all are, the first stands for the fault."""
        return {name: values[name] for name in SPLITS if values.get(name)} or {SPLITS[0]: 0}

    def chosen(self) -> Chosen:
        values = self.cleaned_data
        filters = Filters(values["state"], splits=self._splits(values), seed=values["seed"])
        return Chosen(filters, values["judges"])
