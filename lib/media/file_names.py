"""Names of stored files: relative paths with forward slashes, as rows and zips write them."""

import re
import unicodedata

from lib.texts.stored_sentences import say as _

LONGEST = 200  # characters
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//|data:|blob:", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # categories of characters that a name must not have


class BadName(ValueError):
    """The text cannot name a stored file; the message says why, and what to write."""


def clean_name(text: str) -> str:
    """The name in one form: NFC, with forward slashes, without `./`. Raises BadName."""
    name = unicodedata.normalize("NFC", text.strip()).replace("\\", "/")
    if _ADDRESS.match(name):
        raise BadName(
            _(
                "is an address, and files are never fetched. Add the file to the project, or bring it in a zip with "
                "the rows, and write its name."
            )
        )
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or _DRIVE.match(name) or ".." in parts:
        raise BadName(_("leads out of its folder. Write the path of the file from the folder of the rows."))
    if not parts:
        raise BadName(_("must be the name of a file, such as pictures/cat.png."))
    if any(unicodedata.category(character) in _UNSEEN for character in name):
        raise BadName(_("contains an invisible character. Rename the file."))
    if len("/".join(parts)) > LONGEST:
        raise BadName(_("is longer than %(most)d characters. Rename the file.") % {"most": LONGEST})
    return "/".join(parts)


def short_name(name: str) -> str:
    """The last part of a path, which people know the file by."""
    return name.rpartition("/")[2]
