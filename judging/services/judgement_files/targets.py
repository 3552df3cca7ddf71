"""The items that imported judgements are about, looked up in parts and remembered while a file is read."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from annotate.kinds.judged import Judged
from annotate.models import Item, Project
from judging.formats.base import Judgement, PairJudgement
from judging.services.cases import cases, judgeable
from lib.texts.said import say as _

REMEMBERED = 5000  # items; of a larger project the oldest are looked up again


@dataclass(frozen=True)
class Target:
    """One decided item as a judge would see it today. answers: author -> (sort, text) of those that it holds."""

    item_id: int
    judged: Judged
    sha256: str
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class Targets:
    """`find` for a part of a file, then ask for each judgement's item with `of`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_key: dict[str, Target] = {}
        self._keys: dict[bytes, str] | None = None  # digest of the first message -> key; "" where several items have it
        self._undecided: set[str] = set()

    def find(self, judgements: Iterable[Judgement | PairJudgement]) -> None:
        """Have the items of these at hand: two queries at most, and once one over all items where texts name them."""
        new_keys = {self._key(judgement) for judgement in judgements} - {""} - self._by_key.keys()
        if not new_keys:
            return
        if len(self._by_key) + len(new_keys) > REMEMBERED:
            self._by_key.clear()
        for case in cases(judgeable(self._project).filter(key__in=new_keys)):
            self._by_key[case.item.key] = Target(case.item.pk, case.judged, case.judged.sha256, case.answers)
        missing = new_keys - self._by_key.keys()
        undecided_items = Item.objects.filter(project=self._project, key__in=missing)
        self._undecided = set(undecided_items.values_list("key", flat=True))

    def of(self, judgement: Judgement | PairJudgement) -> Target | str:
        """The item, or why there is none to hang the judgement on."""
        key = self._key(judgement)
        if key in self._by_key:
            return self._by_key[key]
        if key in self._undecided:
            return _("The item “%(key)s” is not decided: accept it first, then import again.") % {"key": key}
        if judgement.key:
            return _unknown(judgement.key)
        if self._digest(judgement) in (self._keys or {}):
            return _("Several items begin with this message, so nobody can say which is meant.")
        return _("No decided item of this project begins with this message.")

    def _key(self, judgement: Judgement | PairJudgement) -> str:
        if judgement.key:
            return judgement.key
        if self._keys is None:
            self._keys = self._read_keys()
        return self._keys.get(self._digest(judgement), "")

    def _read_keys(self) -> dict[bytes, str]:
        key_by_digest: dict[bytes, str] = {}
        for case in cases(judgeable(self._project)):
            digest = _digest(str(case.judged.messages[0]["content"]))
            key_by_digest[digest] = "" if digest in key_by_digest else case.item.key
        return key_by_digest

    def _digest(self, judgement: Judgement | PairJudgement) -> bytes:
        return _digest(next(iter(judgement.texts.values()), ""))


def _unknown(key: str) -> str:
    message = _(
        "There is no item with the key “%(key)s” in this project. Import the items first; a published dataset in its "
        "own format (--format), which gives them these keys."
    )
    return message % {"key": key}


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
