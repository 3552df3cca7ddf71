from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.engine.prompts import LONGEST
from annotate.engine.purposes import RawStep
from annotate.kinds.contract import Kind
from annotate.models import Endpoint
from annotate.prompts.queries import PromptHistory
from annotate.runs.forms import offer_endpoints
from lib.texts.raw_messages import ROLES, BadRawMessages, RawMessages, is_raw, read


def _text_area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "class": "prompt-input prompt-input--part"})


MOST_KEYS = 20


class PromptForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Prompt text"),
        max_length=LONGEST,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "prompt-input"}),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"])
        if is_raw(text):
            raise forms.ValidationError(
                _("These are raw messages. Edit them on their own page, which explains the risks.")
            )
        return text


class RawForm(forms.Form):
    """Raw messages to an evaluator; after validation `raw` holds them."""

    system = forms.CharField(label=gettext_lazy("System message"), required=False, widget=_text_area(5))
    user = forms.CharField(label=gettext_lazy("User message"), widget=_text_area(14))
    assistant = forms.CharField(
        label=gettext_lazy("Beginning of the reply"),
        required=False,
        widget=_text_area(2),
        help_text=gettext_lazy("The evaluator continues from here. Not every service allows it."),
    )
    reader = forms.ChoiceField(label=gettext_lazy("Reply reader"))
    pattern = forms.CharField(
        label=gettext_lazy("Regular expression"),
        required=False,
        max_length=500,
        help_text=gettext_lazy(
            "Only for this reader. The group named verdict, or else the first group, holds the verdict."
        ),
    )
    note = forms.CharField(label=gettext_lazy("What changed"), max_length=200, required=False)
    based_on = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, step: RawStep, **options: Any) -> None:
        super().__init__(*args, **options)
        self.step = step
        fields: dict[str, Any] = self.fields
        fields["reader"].choices = [(slug, f"{name}: {about}") for slug, name, about in step.readers]

    @property
    def raw(self) -> RawMessages:
        cleaned_data = self.cleaned_data
        texts = {role: cleaned_data.get(role, "").replace("\r\n", "\n").strip() for role in ROLES}
        return RawMessages(cleaned_data["reader"], pattern=cleaned_data.get("pattern", ""), **texts)

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if not self.errors and not _is_whole(self.raw):
            self.add_error(None, _("No line may look like “=== user ===”: such lines separate the messages."))
        return cleaned_data


def _is_whole(raw: RawMessages) -> bool:
    """Whether the messages, written as one text, are parsed as the same messages again."""
    try:
        return read(raw.text()) == raw
    except BadRawMessages:
        return False


class TryForm(forms.Form):
    """The two wordings, the endpoint, and the budget of a trial."""

    version = forms.ChoiceField(label=gettext_lazy("Version to test"))
    before = forms.ChoiceField(label=gettext_lazy("Compare with"))
    endpoint = forms.ModelChoiceField(
        label=gettext_lazy("Endpoint"), queryset=Endpoint.objects.none(), to_field_name="name", empty_label=None
    )
    budget = forms.DecimalField(
        label=gettext_lazy("Budget for each of the two (USD)"),
        min_value=Decimal("0.01"),
        max_value=Decimal(1000),
        max_digits=8,
        decimal_places=4,
        initial=Decimal(1),
        widget=forms.NumberInput(attrs={"step": "any", "min": "0.01"}),
    )

    keys = forms.CharField(
        label=gettext_lazy("Items"),
        max_length=2000,
        required=False,
        help_text=gettext_lazy("Item keys, separated by commas. Empty: five mixed items, labelled ones first."),
    )

    def __init__(self, *args: Any, history: PromptHistory, kind: Kind, **options: Any) -> None:
        """kind: the project's."""
        super().__init__(*args, **options)
        choices = [
            (wording.ref, wording.name if wording.adopted else _("%(wording)s, not in use") % {"wording": wording.name})
            for wording in history.wordings
        ]
        fields: dict[str, Any] = self.fields
        fields["version"].choices = fields["before"].choices = choices
        offer_endpoints(fields["endpoint"], kind)

    def clean_keys(self) -> list[str]:
        entries = self.cleaned_data["keys"].replace("\n", ",").split(",")
        keys = list(dict.fromkeys(filter(None, map(str.strip, entries))))
        if len(keys) > MOST_KEYS:
            raise forms.ValidationError(_("Enter up to %(n)d items.") % {"n": MOST_KEYS})
        return keys

    def clean(self) -> dict[str, Any]:
        cleaned_data = super().clean() or {}
        if cleaned_data.get("version") and cleaned_data.get("version") == cleaned_data.get("before"):
            self.add_error("before", _("This is the same version. Choose another one to compare with."))
        return cleaned_data
