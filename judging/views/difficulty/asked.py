"""What an address of the difficulty filter asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.services.difficulty.finding import weakest_first
from judging.services.difficulty.sources import Source
from judging.templatetags.scores import points

LARGEST_SEED = 2**31 - 1


class DifficultyForm(forms.Form):
    """Choices come from what was judged; anything else is refused beside its field."""

    run = forms.ChoiceField(label=_("Judged by"), widget=forms.Select(attrs={"class": "select"}))
    authors = forms.MultipleChoiceField(label=_("Weak authors"), widget=forms.CheckboxSelectMultiple)
    threshold = forms.FloatField(
        label=_("Threshold"),
        min_value=0,
        max_value=1,
        initial=1.0,
        help_text=_("0 to 1; an item goes where every weak author reaches it."),
        widget=forms.NumberInput(attrs={"class": "textbox textbox--line", "step": "any"}),
    )
    seed = forms.IntegerField(required=False, min_value=0, max_value=LARGEST_SEED, widget=forms.HiddenInput)

    def __init__(
        self, data: QueryDict | None, offered: Sequence[Source], authors: Sequence[tuple[str, float | None]]
    ) -> None:
        super().__init__(data, auto_id="difficulty-%s")
        self.fields["run"].choices = [(source.word, str(source)) for source in offered]  # type: ignore[attr-defined]
        self.fields["authors"].choices = [(name, f"{name} · {points(mean, 1)}") for name, mean in authors]  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Asked:
    """form: bound where the address says enough to weigh anything. source: None where nobody has judged."""

    form: DifficultyForm
    source: Source | None

    @property
    def complete(self) -> bool:
        return self.source is not None and self.form.is_bound and self.form.is_valid()

    @property
    def settings(self) -> dict[str, Any]:
        values = self.form.cleaned_data
        return {"authors": values["authors"], "threshold": values["threshold"]}

    @property
    def seed(self) -> int:
        return int(self.form.cleaned_data["seed"] or 0)

    @property
    def address(self) -> str:
        """What the form says, without the seed."""
        values = self.form.cleaned_data
        parameters = [("run", values["run"]), ("threshold", f"{values['threshold']:g}")]
        return urlencode([*parameters, *(("authors", name) for name in values["authors"])])


def asked(data: QueryDict, offered: Sequence[Source]) -> Asked:
    """The first source where the address names none of them; what is offered follows from the source."""
    matches = [source for source in offered if source.word == data.get("run", "")]
    source = matches[0] if matches else offered[0] if offered else None
    authors = weakest_first(source) if source else []
    bound = bool(source and data.getlist("authors"))
    form = DifficultyForm(data if bound else None, offered, authors)
    if source and not bound:
        form.initial = {"run": source.word, "threshold": 1.0}
    return Asked(form, source)
