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
    wanted = list(dict.fromkeys(keys))
    if not wanted:
        return {}
    accepted = _usable(project, wanted).select_related("base")
    shown = {item.key: _example(project, item) for item in accepted}
    return {key: shown.get(key) or Example(key) for key in wanted}


def refused(project: Project, keys: Iterable[str]) -> Mapping[str, str]:
    """key -> why it cannot be an example; only work items can: the others would give the expected answers away."""
    wanted = list(dict.fromkeys(keys))
    usable = set(_usable(project, wanted).values_list("key", flat=True)) if wanted else set()
    message = _("the example “%(key)s” is not an accepted item of this project.")
    return {key: message % {"key": key} for key in wanted if key not in usable}


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
    given = [Text(_spoken(path), text[:LONGEST], "facts") for path, text in kind.texts(facts).items() if text]
    answer = [
        Text(str(one.label), kind.shown(one.name, draft[one.name])[:LONGEST], one.how)
        for one in kind.fields(facts)
        if draft.get(one.name) not in (None, "", [])
    ]
    return Example(item.key, item.pk, item.title, item.language, given, answer)


def _spoken(path: str) -> str:
    """`user_query` -> “user query”: facts have names in their files, and no labels."""
    return path.replace("_", " ").strip() or _("Material")
