"""What labels mean, as models read it: shipped with a taxonomy, or as a project's options define it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

Definition = str | dict[str, str]  # one text for every language, or language -> text
Own = Mapping[str, Definition]

_COLON = {"zh": "："}


@dataclass(frozen=True)
class Definitions:
    """The definitions of one taxonomy. shipped: label -> what it means; a project's own come before them."""

    shipped: Own

    def meaning(self, label: str, definitions: Own, language: str) -> str:
        """As the project says, else as shipped under this name; "" where neither says it.

        Of a definition in several languages that of the item, else the English one, else any.
        """
        definition = definitions.get(label) or self.shipped.get(label) or ""
        if isinstance(definition, str):
            return definition.strip()
        text = definition.get(_plain(language)) or definition.get("en") or next(iter(definition.values()), "")
        return text.strip()

    def line(self, label: str, definitions: Own, language: str) -> str:
        """`Label: what it means` in one line; the bare label where nobody says what it means."""
        meaning = " ".join(self.meaning(label, definitions, language).split())
        return f"{label}{_COLON.get(_plain(language), ': ')}{meaning}" if meaning else label

    def lines(self, labels: Sequence[str], definitions: Own, language: str) -> str:
        """A list of labels, a line each, with what they mean."""
        return "\n".join(f"- {self.line(label, definitions, language)}" for label in labels)

    def check(self, definitions: Own, labels: Collection[str]) -> None:
        """Raises ValueError for a definition of a label that the project does not have: most likely a slip."""
        unknown = sorted(definitions.keys() - {*labels, *self.shipped})
        if unknown:
            message = _("definitions: the project has no label “%(label)s”; add the label, or correct its name.")
            raise ValueError(message % {"label": unknown[0][:60]})


def _plain(language: str) -> str:
    return language.partition("-")[0]
