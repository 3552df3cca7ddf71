"""Who speaks to the API: programs with a token of one project. Sessions of people are not looked at."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from annotate.models import Member, User
from annotate.services import tokens
from annotate.services.tokens import Bearer


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`. The answer is the same for whatever reason a token is not accepted."""

    def authenticate(self, request: Request) -> tuple[User, Bearer]:
        scheme, _space, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        bearer = tokens.bearer(secret.strip()) if scheme.lower() == "bearer" else None
        if bearer is None:
            raise AuthenticationFailed(_("There is no token, or none that opens anything."))
        tokens.note_use(bearer.token)
        return bearer.member.user, bearer

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="touchstone"'


def member_for(request: Request, slug: str, roles: tuple[str, ...]) -> Member:
    """Whoever the token stands for, in the project of the address. Another project is 404, a wrong role 403."""
    bearer: Any = request.auth
    member: Member = bearer.member
    if member.project.slug != slug:
        raise Http404
    if member.role not in roles:
        raise PermissionDenied(_("The role of this token does not allow this."))
    return member
