"""The tools whose definitions are converted, and the way from one to another: always through a definition of ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotate.formats.tools.argilla_settings import from_argilla, to_argilla
from annotate.formats.tools.label_studio_reading import from_label_studio
from annotate.formats.tools.label_studio_writing import to_label_studio
from annotate.formats.tools.leftovers import BadConversion, Conversion
from annotate.kinds.questions.definition import BadDefinition, Definition, read_definition
from lib.texts.stored_sentences import say as _

OWN = "form"  # slug of our own definitions, in YAML


@dataclass(frozen=True)
class DefinitionTool:
    """read: a text -> its definition; write: a definition and a language -> a text; both raise BadConversion."""

    slug: str
    name: str | Promise
    ending: str
    read: Callable[[str], Conversion]
    write: Callable[[Definition, str], Conversion]


TOOLS: Mapping[str, DefinitionTool] = {
    tool.slug: tool
    for tool in (
        DefinitionTool(
            "label_studio",
            gettext_lazy("Label Studio: labelling configuration (XML)"),
            ".xml",
            from_label_studio,
            lambda definition, language: to_label_studio(definition, language=language),
        ),
        DefinitionTool(
            "argilla",
            gettext_lazy("Argilla: settings of a dataset (JSON)"),
            ".json",
            from_argilla,
            lambda definition, language: to_argilla(definition, language=language),
        ),
    )
}


def converted(text: str, *, source: str, target: str, language: str = "en") -> Conversion:
    """A definition of one tool as that of another. source, target: slugs of TOOLS, or OWN.

    language: of texts that a definition has in several. Raises BadConversion.
    """
    read = Conversion(text, []) if source == OWN else TOOLS[source].read(text)
    if target == OWN:
        return read
    try:
        definition = read_definition(read.text)
    except BadDefinition as bad:
        raise BadConversion(_("The definition has faults: %(faults)s") % {"faults": str(bad)}) from bad
    written = TOOLS[target].write(definition, language)
    return Conversion(written.text, [*read.leftovers, *written.leftovers])
