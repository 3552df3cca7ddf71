"""Releases with one row per rater: what each person, and each rater of an imported file, answered about each item."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Min, Q, QuerySet
from django.utils.translation import gettext as _

from annotate.intake.ratings import RATER, unknown_names
from annotate.intake.store import RATER as THE_IMPORT
from annotate.kinds.contract import METADATA, Kind
from annotate.kinds.values import BLANK, BadShape
from annotate.models import Annotation, Item, Project, Slot, User
from annotate.releases.final_texts import RowContents, in_the_open
from annotate.releases.stored_values import ReleasedItem, StoredText, stored_texts

PERSON = "person"
Rater = tuple[int | None, str]  # an account, or the name of an imported rater


class RaterRows:
    """The rows of a release. They can be read by `import_ratings`.

    names: raters have their own names; otherwise person-1, person-2, … in the order of their first texts in the
    project, so that a later release calls them the same. left_out: reason -> ratings without a row.
    """

    def __init__(self, project: Project, contents: RowContents, left_out: Counter[str], *, names: bool) -> None:
        self._project, self._contents, self._left_out = project, contents, left_out
        raters = _raters(project)
        self._numbers: dict[Rater, int] = {rater: number for number, rater in enumerate(raters, 1)}
        self._names = _names(raters) if names else {}

    def __call__(self, items: Sequence[ReleasedItem]) -> Iterator[tuple[ReleasedItem, dict[str, Any]]]:
        """(item, row) in the order of the items, and within one in the order of the raters' numbers."""
        texts_by_item = stored_texts([item.pk for item in items])
        known_to_all = in_the_open([text for texts in texts_by_item.values() for text in texts if _is_rating(text)])
        for item in items:
            for rater, text in self._latest(texts_by_item.get(item.pk, [])).items():
                if text.author_id is not None and text.pk not in known_to_all:
                    self._left_out["others may still do the same work"] += 1
                elif row := self._row(item, rater, text):
                    yield item, row

    def _latest(self, texts: Sequence[StoredText]) -> dict[Rater, StoredText]:
        """The last text of each rater."""
        latest = {_rater(text): text for text in texts if _is_rating(text)}
        return dict(sorted(latest.items(), key=lambda entry: self._number(entry[0])))

    def _number(self, rater: Rater) -> int:
        return self._numbers.setdefault(rater, len(self._numbers) + 1)  # who has begun since the release has

    def _row(self, item: ReleasedItem, rater: Rater, text: StoredText) -> dict[str, Any] | None:
        try:
            answers = given_answers(self._project.kind, text)
        except BadShape:
            self._left_out["cannot be read any more"] += 1
            return None
        if not answers:
            self._left_out["no answer to any question"] += 1
            return None
        hidden = {METADATA: item.metadata} if self._contents.metadata and item.metadata else {}
        return {"key": item.key, RATER: self._name(rater), **answers, **hidden, "provenance": self._about(item, text)}

    def _name(self, rater: Rater) -> str:
        return self._names.get(rater) or f"{PERSON}-{self._number(rater)}"

    def _about(self, item: ReleasedItem, text: StoredText) -> dict[str, Any]:
        split = self._contents.split_of(item.key)
        about = {"state": item.state, "imported": text.author_id is None, "guideline_version": text.guideline_version}
        return about | ({"split": split} if split else {})


def given_answers(kind: Kind, text: StoredText) -> dict[str, Any]:
    """The answers that count, by name, without those that were not given. Raises BadShape."""
    draft = kind.counted(kind.read_draft(kind.upgrade(text.draft, text.schema)).stored())
    return {name: value for name, value in draft.items() if value not in BLANK or _says_none(kind, name, value)}


def _says_none(kind: Kind, name: str, value: Any) -> bool:
    """Whether it is an answer to choose nothing."""
    question = kind.questions().get(name)
    return question is not None and question.measured(value) is not None


def _is_rating(text: StoredText) -> bool:
    if text.author_id is not None:
        return text.slot is not None and text.slot.stage == Slot.Stage.ANNOTATE and text.submitted_at is not None
    return text.slot is None and text.rater not in ("", THE_IMPORT)


def _rater(text: StoredText) -> Rater:
    return text.author_id, text.rater


def _raters(project: Project) -> list[Rater]:
    """All raters in the order of their first texts."""
    firsts = _ratings(project).values("author_id", "rater").annotate(first=Min("pk")).order_by("first")
    return [(rater["author_id"], rater["rater"]) for rater in firsts]


def _ratings(project: Project) -> QuerySet[Annotation]:
    by_people = Q(author__isnull=False, slot__stage=Slot.Stage.ANNOTATE, submitted_at__isnull=False)
    by_file = Q(author=None, slot=None) & ~Q(rater__in=["", THE_IMPORT])
    return Annotation.objects.filter(by_people | by_file, item__project=project, item__purpose=Item.Purpose.WORK)


def _names(raters: Sequence[Rater]) -> dict[Rater, str]:
    """Names of accounts; a rater of a file who has the name of one is called apart."""
    accounts = {user.pk: user.get_username() for user in User.objects.filter(pk__in=[pk for pk, _name in raters if pk])}
    taken = set(accounts.values())
    return {
        (pk, name): accounts.get(pk, "") if pk is not None else f"{name} (file)" if name in taken else name
        for pk, name in raters
    }


# Verification: whether a row of a file is one of these.


def rater_row_key(row: Mapping[str, Any]) -> str:
    """The key of a row, which is unique in a file."""
    return "\n".join(str(row.get(name)) for name in ("key", RATER))


def rater_row_faults(kind: Kind, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(path, message) of each fault of such a row. Drafts of kinds in code are read only with their items."""
    for name in ("key", RATER):
        if not isinstance(row.get(name), str) or not row[name]:
            yield name, _("is missing or not text.")
    yield from unknown_names(kind, row)
    answers = {name: value for name, value in row.items() if name in kind.draft_names}
    try:
        if kind.defined:
            kind.read_draft(kind.read_row(answers).draft or {})
    except BadShape as bad:
        yield from ((finding.path, finding.message) for finding in bad.findings)
