"""The effects of other settings of a project on its items and texts, counted from the tables before they are stored.

Settings never rewrite a text: what changes is the way of items that are not submitted yet, and what is refused.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate.items import slots
from annotate.kinds.option_labels import label_of
from annotate.kinds.values import BadShape
from annotate.models import Annotation, Item, Project, Release, Slot
from annotate.models.work import AnnotationQuerySet
from annotate.option_forms.forms import Effect

KEYS_READ = 20_000  # of the items that wait: their reviews are drawn by key
TEXTS_READ = 2_000  # of each sort, the newest: each is checked by the kind
S = Item.State


def effects(project: Project, values: Mapping[str, Any]) -> list[Effect]:
    """project: as it is stored. values: columns as they would be stored; those that are missing stay.

    Empty if nothing would change.
    """
    columns = {field.attname: getattr(project, field.attname) for field in Project._meta.concrete_fields}
    after = Project(**columns | dict(values))
    changed = {name for name, value in values.items() if value != columns[name]}
    if not changed:
        return []
    counted = [*_of_the_way(project, after, changed), *_of_the_queue(project, after, changed)]
    if "options" in changed:
        counted += _of_the_options(project, after)
    return [*counted, _stored_texts(project)]


def _stored_texts(project: Project) -> Effect:
    n = Annotation.objects.filter(item__project=project, authored=True, submitted_at__isnull=False).count()
    text = ngettext("%(n)d submitted text stays as it is.", "%(n)d submitted texts stay as they are.", n) % {"n": n}
    return Effect(text if n else _("Nothing changes for stored work: nothing is submitted yet."), n)


# The way of an item: how many people write and review it.


def _of_the_way(before: Project, after: Project, changed: set[str]) -> Iterator[Effect]:
    if not changed & {"reviews", "second_share", "overlap", "overlap_share"}:
        return
    waiting = _waiting(before)
    moves = Counter((_way(row, before), _way(row, after)) for row in waiting[:KEYS_READ])
    for (old, new), n in sorted(moves.items(), key=lambda move: -move[1]):
        if old != new:
            yield Effect(_way_words(n, old, new, votes=before.kind.opinions), n)
    if (count := waiting.count()) > KEYS_READ:
        words = {"read": KEYS_READ, "all": count}
        yield Effect(_("Counted over the first %(read)d of %(all)d items to be written.") % words)
    under_way = Item.objects.counted().filter(project=before, state__in=[S.REVIEWING, S.ADJUDICATING]).count()
    if under_way:
        text = ngettext("%(n)d item under review stays there.", "%(n)d items under review stay there.", under_way)
        yield Effect(text % {"n": under_way}, under_way)
    accepted = Item.objects.counted().filter(project=before, state=S.ACCEPTED).count() if before.kind.opinions else 0
    if accepted:
        text = ngettext(
            "%(n)d item has all its votes and gets no further one.",
            "%(n)d items have all their votes and get no further one.",
            accepted,
        )
        yield Effect(text % {"n": accepted}, accepted)


def _waiting(project: Project) -> QuerySet[Item, tuple[Any, ...]]:
    """key, state, number of people who write on it in this round; then its columns, if they say its unit."""
    people = Count(
        "slots", filter=Q(slots__stage="annotate", slots__round=F("round")) & ~Q(slots__state=Slot.State.VOID)
    )
    items = Item.objects.counted().filter(project=project, state__in=[S.IMPORTED, S.READY])
    columns = ("facts", "metadata") if project.kind.unit_column else ()
    return items.order_by("pk").annotate(people=people).values_list("key", "state", "people", *columns)


def _way(row: tuple[Any, ...], project: Project) -> tuple[int, int]:
    """people who write, people who review. An item in the queue keeps its places; the others get theirs later."""
    key, state, people, *columns = row
    unit = slots.unit_digest(project, *columns) if columns else None
    writers = people if state == S.READY else slots.people_for(unit or key, project)
    if writers > 1:
        return writers, 0
    return 1, slots.reviews_for(key, project) if project.reviews else 0


def _way_words(n: int, old: tuple[int, int], new: tuple[int, int], *, votes: bool) -> str:
    if votes:
        text = ngettext("%(n)d item to be voted on: %(new)s", "%(n)d items to be voted on: %(new)s", n)
    else:
        text = ngettext("%(n)d item to be written: %(new)s", "%(n)d items to be written: %(new)s", n)
    old_words = _("instead of: %(old)s") % {"old": _way_in_words(old, votes=votes)}
    return f"{text % {'n': n, 'new': _way_in_words(new, votes=votes)}} ({old_words})."


def _way_in_words(way: tuple[int, int], *, votes: bool) -> str:
    writers, reviews = way
    if votes and not reviews:
        return ngettext("%(n)d vote", "%(n)d votes", writers) % {"n": writers}
    if writers > 1:
        return _("%(n)d people write, and are compared") % {"n": writers}
    return [_("accepted without a review"), _("one review"), _("two independent reviews")][reviews]


# The queue: leases, suggestions, the licence of releases.


def _of_the_queue(before: Project, after: Project, changed: set[str]) -> Iterator[Effect]:
    items = Item.objects.counted().filter(project=before)
    if "lease_minutes" in changed and (n := Slot.objects.held().filter(project=before).count()):
        text = ngettext(
            "%(n)d item in progress gets the new time when it is next saved.",
            "%(n)d items in progress get the new time when they are next saved.",
            n,
        )
        yield Effect(text % {"n": n}, n)
    if "blind_share" in changed:
        n = Slot.objects.open().filter(project=before, stage=Slot.Stage.ANNOTATE).count()
        text = ngettext(
            "%(n)d item in the queue keeps what was drawn; the share counts for later ones.",
            "%(n)d items in the queue keep what was drawn; the share counts for later ones.",
            n,
        )
        yield Effect(text % {"n": n}, n)
    if "waits_for_suggestion" in changed:
        waiting = items.filter(state=S.READY if after.waits_for_suggestion else S.IMPORTED).count()
        yield Effect(_suggestion_words(waiting, waits=after.waits_for_suggestion), waiting)
    if "licence" in changed and (n := Release.objects.filter(project=before).count()):
        text = ngettext("%(n)d release keeps its licence.", "%(n)d releases keep their licence.", n)
        yield Effect(text % {"n": n}, n)


def _suggestion_words(n: int, *, waits: bool) -> str:
    if waits:
        return ngettext("%(n)d item stays in the queue.", "%(n)d items stay in the queue.", n) % {"n": n}
    text = ngettext(
        "%(n)d item goes on waiting for a model, until you put it into the queue.",
        "%(n)d items go on waiting for a model, until you put them into the queue.",
        n,
    )
    return text % {"n": n}


# Labels and rules: which texts would be refused, who would lose their groups, from when a rule counts.


def _of_the_options(before: Project, after: Project) -> Iterator[Effect]:
    yield from _rules(before, after)
    yield from _groups(before, after)
    drafts = Annotation.objects.filter(author__isnull=False, submitted_at=None, item__purpose=Item.Purpose.WORK)
    submitted = Annotation.objects.filter(authored=True, submitted_at__isnull=False, slot__stage=Slot.Stage.ANNOTATE)
    under_review = submitted.filter(item__state__in=[S.REVIEWING, S.ADJUDICATING], slot__round=F("item__round"))
    accepted = Annotation.objects.filter(pk=F("item__base"), item__state=S.ACCEPTED, item__purpose=Item.Purpose.WORK)
    yield from _refused(before, after, drafts.exclude(item__state__in=[S.ACCEPTED, S.DROPPED]), _draft_words)
    yield from _refused(before, after, under_review, _review_words)
    yield from _refused(before, after, accepted, _accepted_words, stops=False)


def _rules(before: Project, after: Project) -> Iterator[Effect]:
    """What the kind says of each changed option."""
    old, new = before.kind_options, after.kind_options
    for name, info in type(new).model_fields.items():
        said = label_of(name, info)
        if said.applies and getattr(old, name) != getattr(new, name):
            yield Effect(_("%(option)s: %(applies)s") % {"option": said.label, "applies": said.applies})


def _groups(before: Project, after: Project) -> Iterator[Effect]:
    kind = before.kind
    gone = set(kind.groups(before.kind_options)) - set(kind.groups(after.kind_options))
    if not gone:
        return
    undecided = Item.objects.counted().undecided().filter(project=before, group__in=gone)
    if n := undecided.count():
        text = ngettext(
            "%(n)d undecided item is in a group that is no longer there:",
            "%(n)d undecided items are in groups that are no longer there:",
            n,
        )
        groups = undecided.order_by("group").values_list("group", flat=True).distinct()
        yield Effect(text % {"n": n}, n, names=list(groups))
    limited = [member for member in before.members.select_related("user") if gone & set(member.groups)]
    if limited:
        text = ngettext(
            "%(n)d person is limited to a group that is no longer there:",
            "%(n)d people are limited to groups that are no longer there:",
            len(limited),
        )
        names = [str(member.user) for member in limited]
        yield Effect(text % {"n": len(limited)}, len(limited), names=names, stops=True)


def _draft_words(n: int) -> str:
    text = ngettext(
        "%(n)d draft in progress can be submitted only after a correction.",
        "%(n)d drafts in progress can be submitted only after a correction.",
        n,
    )
    return text % {"n": n}


def _review_words(n: int) -> str:
    text = ngettext(
        "%(n)d text under review can be accepted only after a correction.",
        "%(n)d texts under review can be accepted only after a correction.",
        n,
    )
    return text % {"n": n}


def _accepted_words(n: int) -> str:
    text = ngettext(
        "%(n)d accepted item stays accepted, but would be refused under these rules.",
        "%(n)d accepted items stay accepted, but would be refused under these rules.",
        n,
    )
    return text % {"n": n}


def _refused(
    before: Project, after: Project, texts: AnnotationQuerySet, words: Any, *, stops: bool = True
) -> Iterator[Effect]:
    """The texts that have problems only under the new options."""
    own = texts.filter(item__project=before).order_by("-pk")
    newest = list(own.select_related("item").only("draft", "schema", "item__facts", "item__schema")[:TEXTS_READ])
    n = sum(bool(_new_problems(text, before, after)) for text in newest)
    if n:
        yield Effect(words(n), n, stops=stops)
    if len(newest) == TEXTS_READ and (count := own.count()) > TEXTS_READ:
        yield Effect(_("Counted over the newest %(read)d of %(all)d texts.") % {"read": TEXTS_READ, "all": count})


def _new_problems(text: Annotation, before: Project, after: Project) -> Sequence[str]:
    """The places that are refused under the new options and not under the old ones; none of an unfinished draft that
    cannot be read yet.
    """
    kind = before.kind
    try:
        facts = kind.read_facts(kind.upgrade(text.item.facts, text.item.schema))
        draft = kind.read_draft(kind.upgrade(text.draft, text.schema))
    except BadShape:
        return []
    now = {finding.path for finding in kind.problems(facts, draft, after.kind_options)}
    if not now:
        return []
    return sorted(now - {finding.path for finding in kind.problems(facts, draft, before.kind_options)})
