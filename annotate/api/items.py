"""How the list of items is asked: the filters of the browser's list, an order, a page."""

from datetime import date
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotate.api.schema import operation, page_of
from annotate.api.views import (
    READ_BY_READERS,
    Name,
    PageQuery,
    ProjectView,
    Thing,
    bad_cursor,
    opened,
    page,
    read_query,
    sealed,
)
from annotate.items import text_search
from annotate.items.forms import EVENTS
from annotate.items.history import Chapter, current_draft, history_of, standing
from annotate.items.keyset import ORDERS, ItemCursor
from annotate.items.keyset import page as page_of_items
from annotate.items.queries import FIRST_DAY, LAST_DAY, ItemFilters, matching, rows_of
from annotate.models import DROP_REASONS, Annotation, Event, Item, Member, Skip, Slot
from annotate.models.work import SKIP_REASONS
from annotate.web.access import EVERYONE, item_seen_by

PERSON, HOLDER = "^(anyone|[0-9]{1,18})$", "^(anyone|overdue|[0-9]{1,18})$"
NOT_THEN = _("Enter a date between 1970 and 2200.")


def a_day_that_can_be(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise serializers.ValidationError(NOT_THEN)


def _choice(choices: Any, help_text: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=choices, required=False, help_text=help_text)


def _person(description: str, pattern: str = PERSON) -> serializers.RegexField:
    return serializers.RegexField(
        pattern, required=False, help_text=f"{description}: the number of an account, or `anyone`."
    )


def _day(help_text: str) -> serializers.DateField:
    return serializers.DateField(required=False, help_text=help_text, validators=[a_day_that_can_be])


class ItemFiltersSerializer(serializers.Serializer):
    """What a list of items is narrowed by: the same as in the browser, and nothing else."""

    q = serializers.CharField(
        required=False, max_length=200, help_text="A part of its key, title or texts, in any case."
    )
    state = _choice(Item.State.choices, "Where the item stands.")
    group = serializers.CharField(required=False, max_length=120, help_text="Its group, such as a task.")
    language = serializers.CharField(required=False, max_length=12, help_text="The code of its language.")
    batch = serializers.IntegerField(
        required=False, min_value=0, max_value=2**63 - 1, help_text="The number of the import that brought it."
    )
    purpose = _choice(Item.Purpose.choices, "What it is for.")
    priority = serializers.IntegerField(required=False, min_value=-32768, max_value=32767, help_text="Its priority.")
    drop_reason = _choice(DROP_REASONS, "Dropped for this reason.")
    assigned = _person("Kept for this person")
    held = _person("Held by this person, or `overdue`", HOLDER)
    by = _person("Handed in by this person")
    reviewed = _person("A review of this person's work")
    returned = _person("Sent back to this person")
    skipped = _choice(["any", *dict(SKIP_REASONS)], "Skipped by somebody for this reason.")
    comments = _choice(["open"], "With comments that nobody has resolved.")
    drafts = _choice(["left"], "With an unfinished draft that nobody works on.")
    minutes = _choice(["counted", "none"], "Whether working time was counted.")
    run = serializers.IntegerField(
        required=False, min_value=0, max_value=2**63 - 1, help_text="With a suggestion that this run made."
    )
    event = _choice([name for name, _label in EVENTS], "Something that happened to it, within `since` and `until`.")
    since = _day("The first day of `event`.")
    until = _day("The last day of `event`.")


class ItemQuery(ItemFiltersSerializer, PageQuery):
    """Filters, order and page."""

    order = serializers.ChoiceField(
        choices=sorted(ORDERS),
        default="first",
        help_text="As imported, newest first, changed last, or highest priority.",
    )


def filters_of(query: dict[str, Any]) -> ItemFilters:
    return ItemFilters(**{name: value for name, value in query.items() if name in ItemFilters.__dataclass_fields__})


COLUMNS = ("id", "key", "title", "state", "drop_reason", "round", "group", "language", "priority", "purpose")


class PersonSerializer(serializers.Serializer):
    """An account, as filters take it and as people call it."""

    id = serializers.IntegerField()
    name = Name(source="*")


class Import(serializers.Serializer):
    id = serializers.IntegerField()
    file_name = serializers.CharField()


class ExcerptSerializer(serializers.Serializer):
    """A piece of a text around a match, as written, with … where it was cut."""

    before = serializers.CharField(allow_blank=True)
    match = serializers.CharField()
    after = serializers.CharField(allow_blank=True)


class ItemColumns(serializers.Serializer):
    id = serializers.IntegerField()
    key = serializers.CharField(help_text="Its key in files, unique in the project.")
    title = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=Item.State.choices)
    drop_reason = serializers.CharField(allow_blank=True, help_text="Why it was dropped; empty unless it is.")
    round = serializers.IntegerField(help_text="How often work on it has begun.")
    group = serializers.CharField(allow_blank=True)
    language = serializers.CharField(allow_blank=True)
    priority = serializers.IntegerField()
    purpose = serializers.ChoiceField(choices=Item.Purpose.choices)
    changed_at = serializers.DateTimeField()


class ItemRowSerializer(ItemColumns):
    """An item in the list."""

    imported_by = Import(source="batch", allow_null=True, help_text="The import that brought it.")
    assigned_to = PersonSerializer(many=True, help_text="For whom it is kept.")
    held_by = PersonSerializer(many=True, help_text="Who works on it now.")
    open_comments = serializers.IntegerField()
    excerpt = ExcerptSerializer(
        allow_null=True, help_text="Where the words of `q` are in the item's texts; null if they are not there."
    )


class TextSerializer(serializers.Serializer):
    """One annotation: a draft of the kind's shape, and whose it is."""

    by = serializers.CharField(help_text="A person, a model, or `import`.")
    origin = serializers.SerializerMethodField()
    prompt_version = serializers.CharField(allow_blank=True)
    simulated = serializers.BooleanField(help_text="Made by the simulated model: never data.")
    round = serializers.IntegerField(allow_null=True, source="slot.round", default=None)
    stage = serializers.ChoiceField(choices=Slot.Stage.choices, allow_null=True, source="slot.stage", default=None)
    outcome = serializers.CharField(allow_blank=True, help_text="What became of it; empty for drafts and suggestions.")
    submitted_at = serializers.DateTimeField(allow_null=True)
    draft = serializers.SerializerMethodField()

    def get_origin(self, annotation: Annotation) -> str:
        """`person`, `model` or `import`."""
        return "model" if annotation.by_machine else "person" if annotation.author_id else "import"

    def get_draft(self, annotation: Annotation) -> dict[str, Any]:
        """The draft in today's shape of its kind."""
        return dict(current_draft(self.context["kind"], annotation))


class ItemDetailSerializer(ItemColumns):
    """An item with its facts and the text that it stands on."""

    created_at = serializers.DateTimeField()
    facts = Thing(help_text="What it is about: frozen at import, of the kind's shape.")
    current = TextSerializer(allow_null=True, help_text="The text that counts now, as far as your role may see it.")


class Past(TextSerializer):
    """An annotation in the history of its item."""

    note = serializers.CharField(allow_blank=True)
    guideline_version = serializers.IntegerField(allow_null=True)
    active_seconds = serializers.IntegerField(help_text="Counted seconds of work.")
    unchanged = serializers.BooleanField(help_text="Handed in as suggested.")
    changed = serializers.SerializerMethodField()

    def get_changed(self, annotation: Annotation) -> list[str]:
        """Fields that differ from the text it was written from."""
        return self.context["changed"][annotation.pk]


class EventLine(serializers.ModelSerializer):
    """One line of what happened."""

    by = Name(source="actor", allow_null=True)

    class Meta:
        model = Event
        fields = ["at", "verb", "by", "note", "from_state", "to_state", "round"]


class SlotLine(serializers.ModelSerializer):
    """A unit of work: whose it is."""

    holder = Name(allow_null=True)
    reserved_for = Name(allow_null=True)

    class Meta:
        model = Slot
        fields = ["stage", "round", "no", "state", "holder", "reserved_for", "lease_until"]


class SkipLine(serializers.ModelSerializer):
    person = Name()

    class Meta:
        model = Skip
        fields = ["person", "reason", "note", "created_at"]


class ItemHistorySerializer(serializers.Serializer):
    """An item's past, as far as your role may see it."""

    texts = Past(many=True, help_text="Oldest first, drafts last.")
    events = EventLine(many=True)
    slots = SlotLine(many=True)
    skips = SkipLine(many=True)


class ItemList(ProjectView):
    roles = READ_BY_READERS

    @operation(
        "items_list", "Items, filtered", page_of("Item", ItemRowSerializer), errors=(422,), parameters=[ItemQuery]
    )
    def get(self, request: Request, slug: str) -> Response:
        query = read_query(ItemQuery, request)
        matches = matching(self.project, filters_of(query))
        order = ORDERS[query["order"]]
        cursor = _cursor_of_query(query) if query.get("cursor") else None
        item_page = page_of_items(matches, order=order, after=cursor, size=query["limit"])
        following = sealed(f"{query['order']}~{item_page.next}") if item_page.next else None
        words, item_ids = query.get("q", ""), [item.pk for item in item_page.items]
        excerpts = text_search.excerpts(self.project, item_ids, words) if words and item_ids else {}
        rows = rows_of(item_page.items, excerpts)
        return page([ItemRowSerializer(_row(row)).data for row in rows], following)


def _cursor_of_query(query: dict[str, Any]) -> ItemCursor:
    name, _tilde, position = opened(query["cursor"]).partition("~")
    cursor = ItemCursor.read(position, ORDERS[name]) if name == query["order"] else None
    if cursor is None:
        raise bad_cursor()
    return cursor


def _row(row: Any) -> dict[str, Any]:
    item = row.item
    fields = {name: getattr(item, name) for name in (*COLUMNS, "changed_at")}
    return fields | {
        "batch": item.batch,
        "assigned_to": [slot.reserved_for for slot in row.assigned],
        "held_by": [slot.holder for slot in row.held],
        "open_comments": row.open_comments,
        "excerpt": row.excerpt,
    }


class ItemRead(ProjectView):
    roles = {"GET": EVERYONE}

    @operation("items_read", "One item", ItemDetailSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        item_view, kind = item_seen_by(self.member, pk), self.project.kind
        item = item_view.item
        current = standing(item_view.base_id, history_of(item, kind=kind, seen_by=self.member))
        fields = {name: getattr(item, name) for name in (*COLUMNS, "created_at")}
        fields |= {
            "state": item_view.state,
            "round": item_view.round,
            "changed_at": item_view.changed_at,
            "facts": kind.upgrade(item.facts, item.schema),
            "current": current.annotation if current else None,
        }
        return Response(ItemDetailSerializer(fields, context={"kind": kind}).data)


class ItemPast(ProjectView):
    roles = {"GET": EVERYONE}

    @operation("items_history", "What happened to an item, and who wrote what", ItemHistorySerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        return Response(_history(item_seen_by(self.member, pk).item, self.member))


def _history(item: Item, member: Member) -> dict[str, Any]:
    kind = member.project.kind
    past = history_of(item, kind=kind, seen_by=member)
    history = {
        "texts": [chapter.annotation for chapter in past.chapters],
        "events": past.events,
        "slots": past.slots,
        "skips": past.skips,
    }
    changed = {chapter.annotation.pk: _changed(chapter) for chapter in past.chapters}
    return dict(ItemHistorySerializer(history, context={"kind": kind, "changed": changed}).data)


def _changed(chapter: Chapter) -> list[str]:
    return [compared.field.name for compared in chapter.changed] if chapter.before else []
