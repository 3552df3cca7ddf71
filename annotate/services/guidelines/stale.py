"""Which items a change of guidelines makes stale: their text is from before a section about them was changed."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q

from annotate.models import Annotation, Guideline, Item, Project
from annotate.models.items import ItemQuerySet
from lib.texts.sections import Change, Scope, changes

ACCEPTED, UNDER_WAY = "accepted", "review"
DECIDING = (Item.State.REVIEWING, Item.State.ADJUDICATING)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """Which of them; an empty value filters nothing. section: the titles of a changed section as `Change.title`.

    state: accepted (these can be reopened), or review (whoever decides about them sees the newest guidelines).
    """

    q: str = ""
    state: str = ACCEPTED
    section: str = ""
    group: str = ""
    language: str = ""
    version: int | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}


@dataclass(frozen=True)
class Since:
    """What changed between each older version and `guideline`: version -> changes, versions without any left out."""

    guideline: Guideline
    changes: Mapping[int, Sequence[Change]]

    @property
    def sections(self) -> list[str]:
        """The titles of all sections that changed, once each; "" is what stands above the first heading."""
        return list(
            dict.fromkeys(change.title for version_changes in self.changes.values() for change in version_changes)
        )

    def why(self, version: int | None, group: str) -> list[Change]:
        """What changed for an item of this group whose text is from that version."""
        version_changes = self.changes.get(version or 0, ())
        return [change for change in version_changes if any(_is_about(scope, group) for scope in change.scopes)]


def since(guideline: Guideline) -> Since:
    """One query, whatever the number of items."""
    older = guideline.project.guidelines.filter(version__lt=guideline.version).order_by("-version")
    changes_by_version = {
        version: changes(text, guideline.text) for version, text in older.values_list("version", "text")
    }
    return Since(
        guideline,
        {version: version_changes for version, version_changes in changes_by_version.items() if version_changes},
    )


def stale(staleness: Since, filters: Filters) -> ItemQuerySet:
    """The work items, in no order; nothing where no version changed anything about them.

    An item that was accepted without a person's text, such as an imported one, has no version and is not among them.
    """
    items = Item.objects.counted().filter(project_id=staleness.guideline.project_id)
    items = items.filter(_touched(staleness, filters)) if staleness.changes else items.none()
    for column in ("group", "language"):
        if value := getattr(filters, column):
            items = items.filter(**{column: value})
    if filters.q:
        items = items.filter(Q(key__icontains=filters.q) | Q(title__icontains=filters.q))
    return items


def without_version(project: Project) -> int:
    """Accepted work items of which nobody can say under which guidelines they were written."""
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED)
    return accepted.filter(base__guideline_version=None).count()


def _touched(staleness: Since, filters: Filters) -> Q:
    """One condition for all versions between which and today the same scopes were touched."""
    versions: dict[frozenset[Scope], list[int]] = defaultdict(list)
    for version, version_changes in staleness.changes.items():
        meant = [change for change in version_changes if not filters.section or change.title == filters.section]
        if meant and filters.version in (None, version):
            versions[frozenset(scope for change in meant for scope in change.scopes)].append(version)
    touched = Q(pk__in=[])
    for scopes, of_these in versions.items():
        touched |= _written_under(staleness.guideline.project, of_these, scopes, filters.state)
    return touched


def _written_under(project: Project, versions: Sequence[int], scopes: frozenset[Scope], state: str) -> Q:
    if state == ACCEPTED:
        condition = Q()
        for scope in scopes:
            condition |= _of_groups(scope, "group") & _with_fields(project, scope, "base__draft")
        return Q(state=Item.State.ACCEPTED, base__guideline_version__in=versions) & condition
    texts = Annotation.objects.filter(
        item=OuterRef("pk"), authored=True, submitted_at__isnull=False, slot__round=OuterRef("round")
    )
    condition = Q()
    for scope in scopes:
        condition |= _of_groups(scope, "item__group") & _with_fields(project, scope, "draft")
    return Q(state__in=DECIDING) & Q(Exists(texts.filter(condition, guideline_version__in=versions)))


def _of_groups(scope: Scope, column: str) -> Q:
    """Of one of the groups; an item without a group may be of any."""
    return Q(**{f"{column}__in": [*scope.groups, ""]}) if scope.groups else Q(pk__isnull=False)


def _with_fields(project: Project, scope: Scope, column: str) -> Q:
    """With one of the fields in its text. A field that every draft has needs no look into the texts."""
    draft_fields = project.kind.draft.model_fields
    if not scope.fields or any(name in draft_fields and draft_fields[name].is_required() for name in scope.fields):
        return Q(pk__isnull=False)
    return Q(**{f"{column}__has_any_keys": list(scope.fields)})


def _is_about(scope: Scope, group: str) -> bool:
    return not scope.groups or not group or group in scope.groups


def with_versions(items: ItemQuerySet) -> Any:
    """Each with the version that its text was written under, as `version`."""
    return items.annotate(version=F("base__guideline_version"))
