"""Who speaks to the API: programs with a token of one project. Sessions of people are not looked at."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import Http404
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError, PermissionDenied
from rest_framework.parsers import BaseParser, DataAndFiles, JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotate.acting import in_role
from annotate.models import Member, User
from annotate.people import tokens
from annotate.people.tokens import Bearer
from annotate.web import rate_limits
from annotate.web.error_pages import Fault


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`. The answer is the same for whatever reason a token is not accepted."""

    def authenticate(self, request: Request) -> tuple[User, Bearer]:
        scheme, _space, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        bearer = tokens.bearer(secret.strip()) if scheme.lower() == "bearer" else None
        if bearer is None:
            raise AuthenticationFailed(_("The API token is missing or not valid."))
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
        raise PermissionDenied(_("The role of this token does not allow this request."))
    in_role(member.user, member.role, member.project, channel=f"api: {bearer.token.name}")
    return member


tickets = rate_limits.Tickets(rate_limits.MINUTE)


class PerToken(BaseThrottle):
    """So many requests a minute for each token, of the whole installation: a guard against loops of a program that
    went wrong, not a price list."""

    def allow_request(self, request: Request, view: Any) -> bool:
        if not request.auth:
            return True
        return tickets.take(f"api-{request.auth.token.pk}", settings.API_REQUESTS_A_MINUTE)

    def wait(self) -> float:
        return rate_limits.seconds_left(rate_limits.MINUTE)


# Reading what is posted: files as they come, to disk and not into memory; forms of a limited size.


PIECE = 1024 * 1024


class Json(JSONParser):
    """A form as JSON: short, because it is read into memory, and not nested beyond what can be read."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(body) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise _more_than(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
        try:
            return super().parse(BytesIO(body), media_type, parser_context)
        except RecursionError as fault:
            raise ParseError(_("The request body is nested too deeply.")) from fault


class JsonLinesParser(BaseParser):
    """The body is the file."""

    media_type = "application/jsonl"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles:
        file = TemporaryUploadedFile("upload.jsonl", self.media_type, 0, None)
        size = 0
        while piece := stream.read(PIECE):
            size += len(piece)
            if size > settings.UPLOAD_MAX_BYTES:
                raise too_large()
            file.write(piece)
        file.size = size
        file.seek(0)
        return DataAndFiles({}, MultiValueDict({"file": [file]}))


class NdJson(JsonLinesParser):
    """Another name for the same thing."""

    media_type = "application/x-ndjson"


def too_large() -> Fault:
    return _more_than(settings.UPLOAD_MAX_BYTES)


def _more_than(limit: int) -> Fault:
    return Fault(413, "too_large", _("An upload can have up to %(limit)s bytes.") % {"limit": limit})


FILE_PARSERS = [JsonLinesParser, NdJson, MultiPartParser]
