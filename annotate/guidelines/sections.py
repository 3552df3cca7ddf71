"""Guidelines as sections that name the fields and groups they govern.

Sections are checked when guidelines are saved, sorted for an item, and compared by version. This module also has the
labels of fields and groups, and the worked examples.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from django.utils.translation import gettext as _

from annotate.errors import Refused
from annotate.items.history import current_draft
from annotate.kinds.values import BadShape, Field
from annotate.models import Guideline, Item, Project, User
from annotate.models.items import ItemQuerySet
from annotate.project.actions import write_guideline
from lib.texts.sections import Section, SectionFault, governs, parsed
from lib.texts.sentences import paragraph


def field_labels(project: Project) -> dict[str, str]:
    """name -> label of the draft's fields; a field that the first item lacks keeps its name as label. One query."""
    sample = Item.objects.filter(project=project).order_by("pk").values_list("facts", flat=True).first()
    labels = {name: name for name in project.kind.draft_names}
    try:
        return labels | labels_of(project.kind.fields(project.kind.read_facts(sample))) if sample else labels
    except BadShape:
        return labels


def labels_of(fields: Sequence[Field]) -> dict[str, str]:
    return {field.name: str(field.label) for field in fields}


def called(names: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    return [labels.get(name, name) for name in names]


def group_names(project: Project) -> list[str]:
    """The groups of the kind's options, then those that items have, in their order. One query."""
    used = Item.objects.filter(project=project).exclude(group="").order_by("group").values_list("group", flat=True)
    return list(dict.fromkeys([*project.kind.groups(project.kind_options), *used.distinct()[:2000]]))


# Worked examples: accepted items of the project, shown next to the sentence that they explain.


LONGEST = 4000  # characters of one text


@dataclass(frozen=True)
class ExampleText:
    """One text of an example with its name; `how` as in kinds.Field, or "facts" for the item's facts."""

    label: str
    text: str
    how: str


@dataclass(frozen=True)
class WorkedExample:
    """An item's facts and its accepted draft. An item that is not, or no longer, accepted shows only its key."""

    key: str
    item: int = 0
    title: str = ""
    language: str = ""
    facts: Sequence[ExampleText] = ()
    answer: Sequence[ExampleText] = ()

    @property
    def is_shown(self) -> bool:
        return bool(self.item)


def examples(project: Project, keys: Iterable[str]) -> dict[str, WorkedExample]:
    """key -> example, also for keys that show nothing. One query, none without keys."""
    unique_keys = list(dict.fromkeys(keys))
    if not unique_keys:
        return {}
    accepted = _usable(project, unique_keys).select_related("base")
    example_by_key = {item.key: _example(project, item) for item in accepted}
    return {key: example_by_key.get(key) or WorkedExample(key) for key in unique_keys}


def refused_examples(project: Project, keys: Iterable[str]) -> Mapping[str, str]:
    """key -> why it cannot be an example. Only work items can: others would reveal the expected answers."""
    unique_keys = list(dict.fromkeys(keys))
    usable = set(_usable(project, unique_keys).values_list("key", flat=True)) if unique_keys else set()
    message = _("the example “%(key)s” is not an accepted item of this project.")
    return {key: message % {"key": key} for key in unique_keys if key not in usable}


def _usable(project: Project, keys: Sequence[str]) -> ItemQuerySet:
    accepted = Item.objects.counted().filter(project=project, key__in=keys, state=Item.State.ACCEPTED)
    return accepted.filter(base__isnull=False)


def _example(project: Project, item: Item) -> WorkedExample:
    kind = project.kind
    assert item.base is not None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    except BadShape:
        return WorkedExample(item.key)
    draft = current_draft(kind, item.base)
    fact_texts = [
        ExampleText(_spoken(path), text[:LONGEST], "facts") for path, text in kind.texts(facts).items() if text
    ]
    answer = [
        ExampleText(str(field.label), kind.shown(field.name, draft[field.name])[:LONGEST], field.how)
        for field in kind.fields(facts)
        if draft.get(field.name) not in (None, "", [])
    ]
    return WorkedExample(item.key, item.pk, item.title, item.language, fact_texts, answer)


def _spoken(path: str) -> str:
    """`user_query` -> “user query”: facts have names in their files, but no labels."""
    return path.replace("_", " ").strip() or _("Material")


# Saving: every name in braces must be one of the project; otherwise the error names the line and the unknown name.


class BadGuidelines(Refused):
    """Braces with unknown names; `problems` lists them line by line."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = list(problems)
        super().__init__(paragraph(problems))


def write(project: Project, *, text: str, note: str, by: User, based_on: int) -> Guideline:
    """A new version. Raises BadGuidelines, and WrongState if somebody else has written one meanwhile."""
    sentences = problems(project, text)
    if sentences:
        raise BadGuidelines(sentences)
    return write_guideline(project, text=text, note=note, by=by, based_on=based_on)


@dataclass(frozen=True)
class Known:
    """What the braces of a project may name: its fields with their labels, and its groups."""

    labels: Mapping[str, str]
    groups: Sequence[str]


def known_names(project: Project) -> Known:
    """Two queries."""
    return Known(field_labels(project), group_names(project))


def problems(project: Project, text: str, known: Known | None = None) -> list[str]:
    """One sentence for each name that is unknown and for braces that cannot be read, in the order of the lines.

    known: where the caller has it already.
    """
    document = parsed(text)
    line_problems = [(fault.line, _fault(fault)) for fault in document.faults]
    if any(section.own for section in document.sections):
        line_problems += _unknown(project, document.sections, known or known_names(project))
    return [
        _("Line %(line)d: %(problem)s") % {"line": line, "problem": sentence}
        for line, sentence in sorted(line_problems, key=lambda entry: entry[0])
    ]


def _fault(fault: SectionFault) -> str:
    if fault.why == "word":
        return _("“%(word)s” is not recognised; write fields, groups or example.") % {"word": fault.said}
    if fault.why == "twice":
        return _("“%(word)s” appears twice.") % {"word": fault.said}
    return _("“%(word)s” has no value.") % {"word": fault.said}


def _unknown(project: Project, sections: Sequence[Section], known: Known) -> Iterator[tuple[int, str]]:
    fields, groups = list(known.labels), known.groups
    refused = refused_examples(project, [key for section in sections for key in section.examples])
    for section in sections:
        for name in section.fields if "fields" in section.own else ():
            if name not in fields:
                message = _("there is no field “%(name)s”.") % {"name": name}
                yield section.line, message + _suggestion(name, fields)
        # A project that has neither items nor a taxonomy cannot know its groups yet.
        for name in section.groups if "groups" in section.own and groups else ():
            if name not in groups:
                message = _("there is no group “%(name)s”.") % {"name": name}
                yield section.line, message + _suggestion(name, groups)
        for key in section.examples:
            if key in refused:
                yield section.line, refused[key]


def _suggestion(name: str, known_names: Sequence[str]) -> str:
    near = get_close_matches(name, known_names, n=1, cutoff=0.6)
    listed = near or (known_names if len(known_names) <= 12 else [])
    return " " + _("Known: %(names)s.") % {"names": ", ".join(listed)} if listed else ""


# Showing: section by section; for an item, the sections about it come first.


@dataclass(frozen=True)
class GuidelinePart:
    """One section for display. fields: their labels; heading: its Markdown without the braces."""

    section: Section
    fields: Sequence[str]
    groups: Sequence[str]
    examples: Sequence[WorkedExample] = field(default_factory=list)

    @property
    def heading(self) -> str:
        return f"{'#' * self.section.level} {self.section.title}" if self.section.level else ""

    @property
    def is_scoped(self) -> bool:
        """Whether badges show its scope: on the heading that sets the scope, not on those below it."""
        return bool({"fields", "groups"} & self.section.own)


@dataclass(frozen=True)
class SortedParts:
    """first: sections about this item, those for its group before those for all groups; rest: all other sections."""

    first: Sequence[GuidelinePart]
    rest: Sequence[GuidelinePart]


def parts(project: Project, text: str, *, labels: Mapping[str, str] | None = None) -> list[GuidelinePart]:
    """All sections in their order. labels: of the fields, where the caller knows them. At most two queries."""
    sections = parsed(text).sections
    if labels is None:
        labels = field_labels(project) if any(section.fields for section in sections) else {}
    examples_by_key = examples(project, [key for section in sections for key in section.examples])
    return [
        GuidelinePart(
            section=section,
            fields=called(section.fields, labels),
            groups=section.groups,
            examples=[examples_by_key[key] for key in section.examples],
        )
        for section in sections
    ]


def for_item(all_parts: Sequence[GuidelinePart], *, group: str, fields: Sequence[str]) -> SortedParts:
    """Sorted for an item of this group with these fields; where its group is not known yet, all may be about it."""
    about = [part for part in all_parts if governs(part.section, group, fields)]
    group_parts = [part for part in about if group and group in part.section.groups]
    rest = [part for part in all_parts if part not in about]
    return SortedParts([*group_parts, *(part for part in about if part not in group_parts)], rest)
