from collections.abc import Mapping
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import LoginForm, UserTokenForm
from django.http import HttpRequest

from annotate.services.password_links import PasswordKeys


class InvitedOnly(DefaultAccountAdapter):
    """Nobody signs up by themselves: accounts are made by an invitation or by command."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Wrong passwords are counted by axes, per name and address: from elsewhere the owner can still sign in."""


class PasswordKeyForm(UserTokenForm):
    """Checks the key of a password link, when it is opened and again when the new password is sent."""

    token_generator = PasswordKeys()


class SignIn(LoginForm):
    """The sign-in form. The cursor starts in the name field, because the page has no other use."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autofocus"] = True


def name_at_sign_in(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """Under which name axes counts an attempt: one account is one name, in whatever capitals it is typed."""
    typed = (credentials or {}).get("username") or request.POST.get("login") or ""
    return str(typed).strip().casefold()
