from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import Author
from judging.services.answers.lists import Cursor


class AuthorForm(forms.ModelForm):
    """What is said about an author; the name stays, because runs and files know them by it."""

    class Meta:
        model = Author
        fields = ("sort", "family", "provider")


class AnswersFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        max_length=1000,
        help_text=gettext_lazy("JSON lines or one JSON array; also gzipped."),
    )
    dry_run = forms.BooleanField(
        label=gettext_lazy("Only say what would be kept; write nothing"), required=False, initial=True
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > settings.UPLOAD_MAX_BYTES:
            message = _("The file is larger than %(limit)s. Compress or divide it.")
            raise forms.ValidationError(message % {"limit": filesizeformat(settings.UPLOAD_MAX_BYTES)})
        return file


class PlaceField(forms.CharField):
    """A place in the list: item and sample, such as 12-1."""

    def clean(self, value: Any) -> Cursor | None:
        text = super().clean(value)
        item, dash, sample = text.partition("-")
        if not text:
            return None
        if not (dash and all(part.isascii() and part.isdecimal() and len(part) < 18 for part in (item, sample))):
            raise forms.ValidationError(_("This is no place in the list."))
        return int(item), int(sample)


class AnswersFilterForm(forms.Form):
    q = forms.CharField(
        label=gettext_lazy("Search"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "class": "textbox textbox--line"}),
    )
    after = PlaceField(required=False, max_length=40, widget=forms.HiddenInput)
    before = PlaceField(required=False, max_length=40, widget=forms.HiddenInput)
