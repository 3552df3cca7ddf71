"""Analyses of the texts of a row: which language it is in, and what looks like personal data."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from annotate.kinds.contract import Kind
from annotate.kinds.shapes import Finding
from lib.texts.language import LATIN_LANGUAGES, language_of
from lib.texts.personal_data import personal_data
from lib.texts.stored_sentences import say as _

LOOKS_LIKE = {
    "email": gettext_noop("an e-mail address"),
    "phone": gettext_noop("a phone number"),
    "card": gettext_noop("a card number"),
    "id_number": gettext_noop("an identity number"),
    "iban": gettext_noop("an account number"),
    "ip": gettext_noop("an IP address"),
    "link": gettext_noop("a private link"),
    "secret": gettext_noop("a key or a password"),
    "name": gettext_noop("a person's name"),
}
SHOWN_PER_TEXT = 3


class Checks:
    """thorough: whether texts are analysed at all; without it, only a project of one language knows the language."""

    def __init__(self, kind: Kind, languages: Sequence[str], *, thorough: bool) -> None:
        self._kind = kind
        self._languages = list(languages)
        self._thorough = thorough

    def language(self, facts: Any) -> str:
        """One of the project's languages, or any language if it names none; empty if unsure."""
        if len(self._languages) == 1:
            return str(self._languages[0])
        if not self._thorough:
            return ""
        language = language_of(self._kind.reading_text(facts), self._languages or LATIN_LANGUAGES)
        return language if language in self._languages or not self._languages else ""

    def warnings(self, facts: Any) -> Iterator[Finding]:
        """Personal data in the facts, with its middle masked."""
        if not self._thorough:
            return
        for path, text in self._kind.texts(facts).items():
            once = {match.shown: match for match in personal_data(text)}
            for match in list(once.values())[:SHOWN_PER_TEXT]:
                params = {"what": _(LOOKS_LIKE[match.kind]), "shown": match.shown}
                yield Finding(
                    path, _("contains what looks like %(what)s (%(shown)s). Is it meant to be there?") % params
                )
