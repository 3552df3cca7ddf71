"""Images and other files in the messages of transcripts: which of them name a stored image of the project.

Addresses and ids of a service's files are only named. Nothing is ever fetched. Imports make files of images that the
messages hold as data.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lib.media.file_names import BadName, clean_name, short_name
from lib.media.sniffing import BadContent
from lib.texts.stored_sentences import say as _

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
LONGEST_NAME = 120
# Where a part says which file it is: OpenAI's chat, its responses, OpenTelemetry, and what others write.
_PLACES = ("image_url", "image", "input_image", "uri", "url", "path", "source", "image_file", "file", "file_id")
_INNER_PLACES = ("url", "uri", "path", "filename", "file_id")
_DATA_URL = re.compile(r"\s*data:([^,]{0,200}),", re.IGNORECASE)
EMBEDDED = "embedded/"  # the folder of files that imports make of data


@dataclass(frozen=True)
class Attachment:
    """An image or another file in a message.

    name: for people. file: the name of the stored image, in the form in which files are stored; "" if it is none.
    place: of its part in the transcript, such as [3].content[1]. drawn: whether a page draws it or links to it.
    """

    name: str
    file: str = ""
    is_image: bool = True
    place: str = ""
    drawn: bool = True


def is_attachment(part: Mapping[str, Any]) -> bool:
    """Whether a part of a message is a file and no text. part: has a `type`, a text."""
    return "image" in part["type"] or part["type"] in ("blob", "uri", "file")


def attachment(part: Mapping[str, Any], place: str = "") -> Attachment:
    """part: one for which is_attachment holds."""
    address = _address(part)
    file = _stored_name(address)
    is_image = _shows_image(part, address)
    if is_image and file:
        return Attachment(file, file, place=place)
    return Attachment(_name(part, address), is_image=is_image, place=place)


def image_data(part: Mapping[str, Any]) -> bytes | None:
    """The bytes of an image that a part holds; None if it is another file, or has none. Raises BadContent.

    What they are, their content says: the type that is declared here is never asked.
    """
    if not _shows_image(part, address := _address(part)):
        return None
    if url := _DATA_URL.match(address):
        if not url[1].lower().rstrip().endswith(";base64"):
            raise BadContent(_("is not in base64. Write it as data:image/png;base64,…"))
        return _decoded(address[url.end() :])
    text = _bare_data(part)
    return None if text is None else _decoded(text)


def _bare_data(part: Mapping[str, Any]) -> str | None:
    """Base64 beside its type: OpenTelemetry's `blob`, and Anthropic's `source`."""
    source = part.get("source")
    if part["type"] == "blob":
        text = part.get("content", part.get("data"))
    else:
        text = source.get("data") if isinstance(source, Mapping) and source.get("type") == "base64" else None
    return text if isinstance(text, str) else None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise BadContent(_("has incomplete or damaged base64. Copy it again.")) from None


def has_data(part: Mapping[str, Any]) -> bool:
    """Whether a file holds its bytes itself, readable or not."""
    return _DATA_URL.match(_address(part)) is not None or _bare_data(part) is not None


def with_name(part: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The part with a name in place of its data; what else it says stays."""
    if _bare_data(part) is not None:
        if part["type"] == "blob":
            rest = {field: value for field, value in part.items() if field not in ("content", "data")}
            return {**rest, "type": "uri", "modality": "image", "uri": name}
        return {**part, "source": {"type": "url", "url": name}}
    for place in _PLACES:
        value = part.get(place)
        if isinstance(value, str) and value:
            return {**part, place: name}
        if isinstance(value, Mapping):
            inner = next((inner for inner in _INNER_PLACES if value.get(inner)), "")
            if inner:
                return {**part, place: {**value, inner: name}}
    return dict(part)


def without_data(part: Mapping[str, Any]) -> dict[str, Any]:
    """The part as a model reads it that is not sent its bytes: only what it is."""
    return {"type": part["type"], "name": _name(part, _address(part))}


def _address(part: Mapping[str, Any]) -> str:
    for name in _PLACES:
        value = part.get(name)
        if isinstance(value, Mapping):
            value = next((value[inner] for inner in _INNER_PLACES if isinstance(value.get(inner), str)), None)
        if isinstance(value, str) and value:
            return value
    return ""


def _stored_name(address: str) -> str:
    """Names of images have an ending here, so that ids and placeholders are not taken for files that are missing."""
    if not address.strip().lower().endswith(IMAGE_ENDINGS):
        return ""
    try:
        return clean_name(address)
    except BadName:
        return ""


def _shows_image(part: Mapping[str, Any], address: str) -> bool:
    """By its type, by OpenTelemetry's `modality`, by its MIME type, or by its ending; what says nothing is an image."""
    if "image" in part["type"]:
        return True
    mime, modality = str(part.get("mime_type") or ""), str(part.get("modality") or "")
    if mime or modality:
        return modality == "image" or (not modality and mime.startswith("image/"))
    return part["type"] != "file" or address.lower().endswith(IMAGE_ENDINGS)


def _name(part: Mapping[str, Any], address: str) -> str:
    """The file name in an address, or the media type of a data URL."""
    if address.startswith("data:"):
        return address[len("data:") :].partition(";")[0][:60]
    try:
        name = short_name(urlsplit(address).path) if len(address) <= 2000 else ""  # longer is data
    except ValueError:
        name = ""
    return str(name or part.get("filename") or part.get("mime_type") or part["type"])[:LONGEST_NAME]
