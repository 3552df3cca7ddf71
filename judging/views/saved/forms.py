from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from judging.models import SavedView
from judging.services.saved_views import PAGES

LONGEST = SavedView._meta.get_field("query").max_length
TOO_LONG = _("This address is too long to be saved: choose fewer things.")


class ViewForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=80)
    page = forms.ChoiceField(choices=[(page, page) for page in PAGES], widget=forms.HiddenInput)
    query = forms.CharField(
        required=False, max_length=LONGEST, widget=forms.HiddenInput, error_messages={"max_length": TOO_LONG}
    )
    shared = forms.BooleanField(label=_("For everybody who reads here"), required=False)

    def clean_query(self) -> str:
        """As a query, whatever was sent."""
        return QueryDict(self.cleaned_data["query"]).urlencode()
