"""Worked examples: accepted items of the project, shown beside the sentence that they explain."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from annotate.models.items import ItemQuerySet
from annotate.services.items.history import current_draft

LONGEST = 4000  # characters of one text


@dataclass(frozen=True)
class Text:
    """One text of an example under its name; `how` as in kinds.Field, "facts" for what was given."""

    label: str
    text: str
    how: str


@dataclass(frozen=True)
class Example:
    """What was given and what was decided. An item that is not accepted (any more) shows nothing but its key."""

    key: str
    item: int = 0
    title: str = ""
    language: str = ""
    facts: Sequence[Text] = ()
    answer: Sequence[Text] = ()

    @property
    def is_shown(self) -> bool:
        return bool(self.item)


def examples(project: Project, keys: Iterable[str]) -> dict[str, Example]:
    """key -> example, also of keys that show nothing. One query, none without keys."""
    unique_keys = list(dict.fromkeys(keys))
    if not unique_keys:
        return {}
    accepted = _usable(project, unique_keys).select_related("base")
    example_by_key = {item.key: _example(project, item) for item in accepted}
    return {key: example_by_key.get(key) or Example(key) for key in unique_keys}


def refused(project: Project, keys: Iterable[str]) -> Mapping[str, str]:
    """key -> why it cannot be an example; only work items can: the others would give the expected answers away."""
    unique_keys = list(dict.fromkeys(keys))
    usable = set(_usable(project, unique_keys).values_list("key", flat=True)) if unique_keys else set()
    message = _("the example “%(key)s” is not an accepted item of this project.")
    return {key: message % {"key": key} for key in unique_keys if key not in usable}


def _usable(project: Project, keys: Sequence[str]) -> ItemQuerySet:
    accepted = Item.objects.counted().filter(project=project, key__in=keys, state=Item.State.ACCEPTED)
    return accepted.filter(base__isnull=False)


def _example(project: Project, item: Item) -> Example:
    kind = project.kind
    assert item.base is not None
    try:
        facts = kind.read_facts(kind.upgrade(item.facts, item.schema))
    except BadShape:
        return Example(item.key)
    draft = current_draft(kind, item.base)
    fact_texts = [Text(_spoken(path), text[:LONGEST], "facts") for path, text in kind.texts(facts).items() if text]
    answer = [
        Text(str(field.label), kind.shown(field.name, draft[field.name])[:LONGEST], field.how)
        for field in kind.fields(facts)
        if draft.get(field.name) not in (None, "", [])
    ]
    return Example(item.key, item.pk, item.title, item.language, fact_texts, answer)


def _spoken(path: str) -> str:
    """`user_query` -> “user query”: facts have names in their files, and no labels."""
    return path.replace("_", " ").strip() or _("Material")
