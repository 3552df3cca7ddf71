from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotate.models import User
from annotate.services import keys
from annotate.views.access import person

A_YEAR = 365 * 24 * 3600


class PersonForm(forms.ModelForm):
    """How the pages look to somebody, and what others see of them."""

    class Meta:
        model = User
        fields = ["display_name", "email", "language", "theme"]

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        languages = [("", gettext_lazy("As the browser")), *settings.LANGUAGES]
        self.fields["language"] = forms.ChoiceField(
            label=self.fields["language"].label, choices=languages, required=False
        )
        self.fields["theme"].widget = forms.Select(choices=User.Theme.choices)


class KeysForm(forms.Form):
    """One key an action; an empty field is our own choice."""

    def __init__(self, *args: object, own: dict[str, str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for action in keys.ACTIONS:
            self.fields[action.name] = forms.CharField(
                label=str(action.label),
                required=False,
                max_length=12,
                initial=own.get(action.name, action.key),
                widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            )

    def clean(self) -> dict[str, str]:
        cleaned_data = super().clean() or {}
        try:
            return keys.read_keys(cleaned_data)
        except keys.BadKeys as bad:
            raise ValidationError({name: [error] for name, error in bad.errors.items()}) from bad


@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    user = person(request)
    form_name = request.POST.get("form") if request.method == "POST" else None
    about = PersonForm(request.POST if form_name == "person" else None, instance=user, prefix="person")
    own_keys = KeysForm(request.POST if form_name == "keys" else None, own=user.keys, prefix="keys")
    if form_name == "person" and about.is_valid():
        return _saved(request, about.save())
    if form_name == "keys" and own_keys.is_valid():
        user.keys = own_keys.cleaned_data
        user.save(update_fields=["keys"])
        return _saved(request, user)
    context = {"about": about, "keys_form": own_keys}
    return render(request, "preferences.html", context, status=422 if form_name else 200)


def _saved(request: HttpRequest, user: User) -> HttpResponse:
    with translation.override(user.language or translation.get_language()):
        messages.success(request, _("Saved."))
    return redirect("preferences")


@require_POST
def preferences_theme(request: HttpRequest) -> HttpResponse:
    """The appearance menu of every page; without an account the choice is kept in a cookie."""
    theme = request.POST.get("theme", "")
    answer = redirect(_next(request))
    if theme not in User.Theme.values:
        return answer
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(theme=theme)
    answer.set_cookie("theme", theme, max_age=A_YEAR, samesite="Lax", secure=request.is_secure(), httponly=True)
    return answer


@require_POST
def preferences_language(request: HttpRequest) -> HttpResponse:
    """The language button of every page; what somebody with an account chooses follows them to other computers."""
    language = request.POST.get("language", "")
    answer = redirect(_next(request))
    if language not in dict(settings.LANGUAGES):
        return answer
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=language)
    answer.set_cookie(
        settings.LANGUAGE_COOKIE_NAME, language, max_age=A_YEAR, samesite="Lax", secure=request.is_secure()
    )
    return answer


def _next(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if safe and target.startswith("/") else reverse("home")
