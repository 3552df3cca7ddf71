"""Reading what is posted: files as they come, to disk and not into memory; forms of a limited size."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, DataAndFiles, JSONParser, MultiPartParser

from annotate.api.errors import Fault

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
            raise ParseError(_("The body is nested too deep.")) from fault


class JsonLines(BaseParser):
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


class NdJson(JsonLines):
    """Another name for the same thing."""

    media_type = "application/x-ndjson"


def too_large() -> Fault:
    return _more_than(settings.UPLOAD_MAX_BYTES)


def _more_than(limit: int) -> Fault:
    return Fault(413, "too_large", _("An upload may have %(limit)s bytes at most.") % {"limit": limit})


FILE_PARSERS = [JsonLines, NdJson, MultiPartParser]
