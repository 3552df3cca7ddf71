"""The list of formats: every module of this package that sets `FORMAT`, and the one for chat logs."""

from functools import cache
from pathlib import PurePath

from annotate.formats.chatlog.selection import UNLISTED
from annotate.formats.format import Format
from annotate.formats.rows import Problem, printable
from lib.discovery import discover
from lib.texts.stored_sentences import say as _


class UnknownFormat(LookupError):
    """No format has this slug; the text lists those that exist."""


@cache
def all_formats() -> dict[str, Format]:
    """slug -> format, in the order of the slugs."""
    formats = discover("annotate.formats", "FORMAT")
    return {file_format.slug: file_format for file_format in sorted(formats, key=lambda candidate: candidate.slug)}


def find_format(slug: str) -> Format:
    """The format of that slug. Raises UnknownFormat."""
    try:
        return UNLISTED if slug == UNLISTED.slug else all_formats()[slug]
    except KeyError:
        message = _("There is no format “%(slug)s”. Formats: %(slugs)s.")
        raise UnknownFormat(message % {"slug": printable(slug, most=60), "slugs": ", ".join(all_formats())}) from None


def guess(file_name: str, kind_slug: str = "") -> Format | Problem:
    """The format for the file name's ending, or a problem that lists the known endings. kind_slug: of the project, if
    there is one.
    """
    name = PurePath(file_name).name.lower().removesuffix(".gz")
    suited = [found for found in all_formats().values() if not kind_slug or found.suits(kind_slug)]
    by_ending = [found for found in suited if name.endswith(found.endings)]
    by_other = [found for found in suited if name.endswith(found.other_endings)]
    for file_format in (*by_ending, *by_other):
        return file_format
    return Problem(file_name, None, "", _unknown_ending())


def _unknown_ending() -> str:
    endings = ", ".join(ending for file_format in all_formats().values() for ending in file_format.endings)
    message = _(
        "The file name does not show the format. Known endings: %(endings)s (also with .gz). Formats: %(slugs)s."
    )
    return message % {"endings": endings, "slugs": ", ".join(all_formats())}
