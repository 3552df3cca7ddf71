"""Forms of endpoints, and form fields for the parameters that a run sends with its questions."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotate.engine.endpoints import BadEndpoint, read_name
from annotate.engine.wire import PARAMETERS
from annotate.errors import Refused
from annotate.models import Endpoint


class ExtraBody(forms.JSONField):
    """A JSON field in which an empty field is an empty object."""

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
    """The parameters of a run by name; an empty one is left to the endpoint, and then to each step."""
    return {
        "temperature": forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, required=False),
        "top_p": forms.FloatField(label="top_p", min_value=0, max_value=1, required=False),
        "seed": forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**63 - 1, required=False),
        "reasoning_effort": forms.ChoiceField(
            label=_("Reasoning effort"),
            choices=[("", _("endpoint default")), *Endpoint.Effort.choices],
            required=False,
        ),
        "max_tokens": forms.IntegerField(
            label=_("Max tokens per reply"),
            min_value=1,
            max_value=2**31 - 1,
            required=False,
            help_text=_("Including reasoning."),
        ),
        "extra_body": ExtraBody(
            label=_("Extra body"),
            required=False,
            widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
            help_text=_("JSON. Only names that an administrator allows at the endpoint."),
        ),
    }


def filled_in(cleaned: dict[str, Any]) -> dict[str, Any]:
    """The parameters that were filled in."""
    return {name: cleaned[name] for name in PARAMETERS if cleaned.get(name) not in (None, "", {})}


class EndpointForm(forms.ModelForm):
    """The settings for the browser. The service, which the command also uses, checks addresses and keys."""

    class Meta:
        model = Endpoint
        fields = [
            *("name", "base_url", "model", "key_env", "price_in", "price_out", "max_in_flight", "requests_a_minute"),
            *(
                "tokens_a_minute",
                "context_length",
                "deadline",
                "attempts",
                "strict_json",
                "takes_images",
                "api_version",
            ),
            *("temperature", "top_p", "seed", "reasoning_effort", "max_tokens", "extra_body", "extra_allowed"),
        ]
        field_classes = {"extra_body": ExtraBody, "extra_allowed": NamesField}
        labels = {
            "name": _("Name"),
            "base_url": _("Base URL"),
            "model": _("Model"),
            "key_env": _("Environment variable with the key"),
            "max_in_flight": _("Concurrent calls"),
            "requests_a_minute": _("Requests per minute"),
            "tokens_a_minute": _("Tokens per minute"),
            "context_length": _("Context length"),
            "deadline": _("Timeout per call (seconds)"),
            "attempts": _("Attempts per step"),
            "strict_json": _("Supports json_schema"),
            "takes_images": _("Takes images"),
            "api_version": _("API version (Azure)"),
            "temperature": _("Temperature"),
            "top_p": "top_p",
            "seed": _("Seed"),
            "reasoning_effort": _("Reasoning effort"),
            "max_tokens": _("Max tokens per reply"),
            "extra_body": _("Extra body"),
            "extra_allowed": _("Names allowed in the extra body"),
        }
        help_texts = {
            "name": _("Shown where people choose an endpoint: letters, digits, hyphens."),
            "base_url": _("Usually ends in /v1. The host must be approved; see the list on this page."),
            "model": _("Exactly as the service spells it."),
            "key_env": _(
                "The variable's name only, such as MODEL_KEY. The key itself is never stored or shown. Empty: no key."
            ),
            "max_in_flight": _("Across all workers."),
            "requests_a_minute": _("Empty: no limit. Applies across all workers."),
            "tokens_a_minute": _("Empty: no limit."),
            "context_length": _("In tokens. Longer texts are not sent. Empty: unknown."),
            "strict_json": _("Off: the prompt describes the format, and replies are parsed leniently."),
            "takes_images": _(
                "Images are then sent with the questions. Otherwise runs over items that show images are refused; of "
                "transcripts, models get the text, which names the images."
            ),
            "api_version": _("Such as 2024-10-21. It is added to the URL, and the key is sent as api-key."),
            "temperature": _("Empty: each step uses its own value. A run may override it."),
            "reasoning_effort": _("For reasoning models. Empty: the service decides."),
            "max_tokens": _("Including reasoning. Empty: each step uses its own value."),
            "extra_body": _("JSON added to every request. It may contain only the names allowed here."),
            "extra_allowed": _("Separated by commas, such as top_k, min_p. Runs may use them too."),
        }

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        """Prices as people write them, without all the stored decimal places."""
        initial = super().get_initial_for_field(field, field_name)
        return f"{initial.normalize():f}" if isinstance(initial, Decimal) else initial

    def clean_key_env(self) -> str:
        """Somebody may paste the key itself: it must not come back in the page."""
        try:
            return read_name(self.cleaned_data["key_env"])
        except Refused as refused:
            self.data = {**self.data.dict(), "key_env": ""}  # type: ignore[attr-defined]  # a QueryDict
            raise forms.ValidationError(str(refused)) from refused

    def add_faults(self, bad: BadEndpoint) -> None:
        for name, messages in bad.errors.items():
            self.add_error(name if name in self.fields else None, messages)

    def columns(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.fields}
