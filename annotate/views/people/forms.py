from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from annotate.models import Invitation, Member
from annotate.views.word_lists import WordsField

LONGEST_INVITATION = 90  # days


def offer_roles(form: forms.ModelForm) -> None:
    """All roles and no empty row: everybody in a project has one."""
    role: Any = form.fields["role"]
    role.choices = Member.Role.choices


class MemberForm(forms.ModelForm):
    languages = WordsField(
        label=_("Only these languages"), required=False, max_length=400, help_text=_("Codes, such as en, zh.")
    )
    groups = WordsField(
        label=_("Only these groups"), required=False, max_length=4000, help_text=_("Names as in the list of items.")
    )

    class Meta:
        model = Member
        fields = ["role", "daily_limit", "total_limit", "languages", "groups"]
        labels = {"daily_limit": _("Submissions a day, at most"), "total_limit": _("Submissions in all, at most")}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_roles(self)

    def limits(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name != "role"}


class InvitationForm(forms.ModelForm):
    days = forms.IntegerField(
        label=_("Days until it ends"),
        initial=14,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_INVITATION)],
    )

    class Meta:
        model = Invitation
        fields = ["role", "note", "email"]
        labels = {"role": _("Role"), "note": _("For whom"), "email": _("E-mail")}

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer_roles(self)
        self.fields["role"].initial = Member.Role.ANNOTATOR
