"""Form fields for what is sent beside a question."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.llm.wire import PARAMETERS
from annotate.models import Endpoint


class ExtraBody(forms.JSONField):
    """An empty field is an empty object."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(value) or {}

    def prepare_value(self, value: Any) -> Any:
        return "" if value in ({}, None) else super().prepare_value(value)


class NamesField(forms.CharField):
    """Names of parameters, with commas or spaces between them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{name: value for name, value in options.items() if name not in ("encoder", "decoder")})

    def to_python(self, value: Any) -> Any:
        return sorted({name for name in str(value or "").replace(",", " ").split() if name})

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


def run_fields() -> dict[str, forms.Field]:
    """The parameters of a run, by their names; an empty one is left to the endpoint, and then to each step."""
    return {
        "temperature": forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, required=False),
        "top_p": forms.FloatField(label="top_p", min_value=0, max_value=1, required=False),
        "seed": forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**63 - 1, required=False),
        "reasoning_effort": forms.ChoiceField(
            label=_("Reasoning effort"),
            choices=[("", _("as the endpoint says")), *Endpoint.Effort.choices],
            required=False,
        ),
        "max_tokens": forms.IntegerField(
            label=_("Most tokens of a reply"),
            min_value=1,
            max_value=2**31 - 1,
            required=False,
            help_text=_("Reasoning included."),
        ),
        "extra_body": ExtraBody(
            label=_("Extra body"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
            help_text=_("JSON with names that an administrator allows at the endpoint."),
        ),
    }


def filled_in(cleaned: dict[str, Any]) -> dict[str, Any]:
    """Those that were filled in."""
    return {name: cleaned[name] for name in PARAMETERS if cleaned.get(name) not in (None, "", {})}
