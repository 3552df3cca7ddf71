"""Names in a row, as the reader's language writes them."""

from collections.abc import Iterable

from django.utils.translation import pgettext


def listed(names: Iterable[object]) -> str:
    """The names, with a comma between them: “a, b” in English, “甲、乙” in Chinese. "" if there are none."""
    return pgettext("between two names in a row", ", ").join(map(str, names))
