"""Images and other files in the messages of transcripts: which of them name a stored image of the project.

Addresses, data in the message and ids of a service's files are only named. Nothing is ever fetched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lib.media.file_names import BadName, clean_name, short_name

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif")
LONGEST_NAME = 120
# Where a part says which file it is: OpenAI's chat, its responses, OpenTelemetry, and what others write.
_PLACES = ("image_url", "image", "input_image", "uri", "url", "path", "source", "image_file", "file", "file_id")
_INNER_PLACES = ("url", "uri", "path", "filename", "file_id")


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
