"""Reading what is posted: files as they come, to disk and not into memory."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser

from annotate.api.errors import Fault

PIECE = 1024 * 1024


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
    told = _("An upload may have %(limit)s bytes at most.") % {"limit": settings.UPLOAD_MAX_BYTES}
    return Fault(413, "too_large", told)


FILE_PARSERS = [JsonLines, NdJson, MultiPartParser]
