"""Guidelines as pages show them: section by section, and for an item those first that are about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotate.models import Project
from annotate.services.guidelines import examples, names
from annotate.services.guidelines.examples import Example
from lib.texts.sections import Section, governs, parsed


@dataclass(frozen=True)
class Part:
    """One section to be shown. fields: their labels; heading: its Markdown without the braces."""

    section: Section
    fields: Sequence[str]
    groups: Sequence[str]
    examples: Sequence[Example] = field(default_factory=list)

    @property
    def heading(self) -> str:
        return f"{'#' * self.section.level} {self.section.title}" if self.section.level else ""

    @property
    def is_scoped(self) -> bool:
        """Whether badges say what it is about: on the heading that says so, not on each one below it."""
        return bool({"fields", "groups"} & self.section.own)


@dataclass(frozen=True)
class Sorted:
    """first: about this item, those that name its group before those that hold for all; rest: about others."""

    first: Sequence[Part]
    rest: Sequence[Part]


def parts(project: Project, text: str, *, labels: Mapping[str, str] | None = None) -> list[Part]:
    """All sections in their order. labels: of the fields, where the caller knows them. At most two queries."""
    sections = parsed(text).sections
    if labels is None:
        labels = names.field_labels(project) if any(section.fields for section in sections) else {}
    examples_by_key = examples.examples(project, [key for section in sections for key in section.examples])
    return [
        Part(
            section=section,
            fields=names.called(section.fields, labels),
            groups=section.groups,
            examples=[examples_by_key[key] for key in section.examples],
        )
        for section in sections
    ]


def for_item(all_parts: Sequence[Part], *, group: str, fields: Sequence[str]) -> Sorted:
    """Sorted for an item of this group with these fields; where its group is not known yet, all may be about it."""
    about = [part for part in all_parts if governs(part.section, group, fields)]
    group_parts = [part for part in about if group and group in part.section.groups]
    rest = [part for part in all_parts if part not in about]
    return Sorted([*group_parts, *(part for part in about if part not in group_parts)], rest)
