"""Links by which an account gets a new password: mailed to the account itself, or handed over by an administrator."""

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator, default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.base_user import AbstractBaseUser
from django.urls import reverse

from annotate.models import User
from annotate.services.rights import may_reset_password

MARK = "_"  # between an administrator's id and the key; neither contains it


def password_link(user: User, *, by: User | None) -> str:
    """The path of a page where this account gets a new password; it works once, for settings.PASSWORD_RESET_TIMEOUT.

    For installations without a mail server: an administrator hands it over, and it works only while they may make
    it. by: None for whoever has the command line of the server.
    """
    key = default_token_generator.make_token(user) if by is None else f"{by.pk}{MARK}{_KeysBy(by).make_token(user)}"
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


class PasswordKeys(EmailAwarePasswordResetTokenGenerator):
    """Knows keys of both origins. `<id>_<key>` is an administrator's, and is worth what they may do at that moment."""

    def check_token(self, user: AbstractBaseUser | None, token: str | None) -> bool:
        maker, mark, key = (token or "").partition(MARK)
        if not mark:
            return bool(super().check_token(user, token))
        administrator = User.objects.filter(pk=int(maker)).first() if _is_id(maker) else None
        if administrator is None or not isinstance(user, User) or not may_reset_password(by=administrator, of=user):
            return False
        return bool(_KeysBy(administrator).check_token(user, key))


class _KeysBy(EmailAwarePasswordResetTokenGenerator):
    """The administrator is part of the salt, so that nobody can put another's id before a key."""

    def __init__(self, administrator: User) -> None:
        super().__init__()
        self.key_salt = f"annotate.services.password_links.{administrator.pk}"


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19
