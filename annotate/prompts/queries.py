"""Prompts as their pages show them. Only reads: a shipped wording that no run has used yet comes from its file."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from annotate.engine import prompt_files
from annotate.engine.prompt_files import LANGUAGES, ShippedPrompt, shipped
from annotate.engine.prompts import Key, sha256
from annotate.models import Project, PromptVersion, User
from lib.texts.fencing import SLOT
from lib.texts.raw_messages import is_raw


@dataclass(frozen=True)
class PromptWording:
    """One wording in a history. number counts the project's own and the shipped ones separately; ref: `3`, or `s2`."""

    number: int
    text: str
    is_shipped: bool
    adopted: bool = True
    note: str = ""
    author: User | None = None
    created_at: datetime | None = None
    runs: int = 0
    pk: int | None = None

    @property
    def is_raw(self) -> bool:
        return is_raw(self.text)

    @property
    def ref(self) -> str:
        return f"s{self.number}" if self.is_shipped else str(self.number)

    @property
    def name(self) -> str:
        words = _("Shipped, version %(n)d") if self.is_shipped else _("Version %(n)d")
        return words % {"n": self.number}


@dataclass(frozen=True)
class PromptHistory:
    """All wordings of one prompt, the project's own before the shipped ones, each newest first."""

    key: Key
    wordings: Sequence[PromptWording]

    @property
    def address(self) -> str:
        """The key as in addresses."""
        return str(self.key)

    @property
    def in_use(self) -> PromptWording:
        return next((wording for wording in self.wordings if wording.adopted and not wording.is_shipped), self.shipped)

    @property
    def shipped(self) -> PromptWording:
        return next(wording for wording in self.wordings if wording.is_shipped)

    @property
    def as_shipped(self) -> bool:
        return self.in_use.text == self.shipped.text

    @property
    def newest_number(self) -> int:
        return max((wording.number for wording in self.wordings if not wording.is_shipped), default=0)

    def find(self, ref: str) -> PromptWording | None:
        return next((wording for wording in self.wordings if wording.ref == ref), None)

    def before(self, wording: PromptWording) -> PromptWording:
        """The default wording to compare with: the one in use, else the one before it."""
        if wording.ref != self.in_use.ref:
            return self.in_use
        earlier_wordings = [
            own_wording
            for own_wording in self.wordings
            if not own_wording.is_shipped and own_wording.adopted and own_wording.number < wording.number
        ]
        return earlier_wordings[0] if earlier_wordings else self.shipped


@dataclass(frozen=True)
class PromptStep:
    """One step with its wording in use for each language; None if nothing is shipped in it."""

    scope: str
    step: str
    cells: Sequence[tuple[str, PromptHistory | None]]

    @property
    def is_part(self) -> bool:
        """Whether it is a text inside prompts, not a prompt."""
        return prompt_files.is_part(self.scope)


def scopes(project: Project) -> list[str]:
    """The scopes whose prompts a project can edit: those of every purpose that suits it."""
    from annotate.engine.purposes import purposes  # which import prompts

    scope_names = [
        scope
        for purpose in purposes().values()
        if purpose.offered and purpose.suits(project)
        for scope in purpose.scopes(project)
    ]
    return list(dict.fromkeys([*scope_names, *prompt_files.scopes(project)]))


Files = Mapping[str, Mapping[tuple[str, str], ShippedPrompt]]  # scope -> (step, language) -> file


def keys(project: Project) -> dict[str, Key]:
    """Key as in addresses -> prompt, in the order in which the kind asks them."""
    return {str(key): key for key in _keys_of(project, _files(scopes(project)))}


def _files(scope_names: Collection[str]) -> Files:
    return {scope: shipped(scope) for scope in scope_names}


def _keys_of(project: Project, files: Files) -> list[Key]:
    return [
        Key(scope, file.step, file.language)
        for scope, of_scope in files.items()
        for file in sorted(of_scope.values(), key=lambda file: _place(project, file))
    ]


def _place(project: Project, file: ShippedPrompt) -> tuple[int, str, int]:
    kind = project.kind
    order = [*kind.preannotation_steps, *kind.classification_steps, *kind.gold_steps, *kind.bridging_steps]
    position = order.index(file.step) if file.step in order else len(order)
    return position, file.step, LANGUAGES.index(file.language)


def steps(project: Project) -> list[PromptStep]:
    """The whole list, in one query for each kind or family."""
    rows: dict[tuple[str, str], dict[str, PromptHistory]] = {}
    files = _files(scopes(project))
    prompt_keys = _keys_of(project, files)
    histories = _histories(project, prompt_keys, files)
    for key in prompt_keys:
        rows.setdefault((key.scope, key.step), {})[key.language] = histories[key]
    return [
        PromptStep(scope, step, [(language, by_language.get(language)) for language in LANGUAGES])
        for (scope, step), by_language in rows.items()
    ]


def history(project: Project, key: Key) -> PromptHistory:
    return _histories(project, [key], _files([key.scope]))[key]


def _histories(project: Project, prompt_keys: Sequence[Key], files: Files) -> dict[Key, PromptHistory]:
    stored = PromptVersion.objects.filter(scope__in={key.scope for key in prompt_keys}, project=None)
    stored |= PromptVersion.objects.filter(scope__in={key.scope for key in prompt_keys}, project=project)
    if len(prompt_keys) == 1:
        stored = stored.filter(**prompt_keys[0].columns)
    used_text = Count("runs_with_text", filter=Q(runs_with_text__project=project), distinct=True)
    versions: dict[Key, list[PromptVersion]] = {}
    used = Count("runs", filter=Q(runs__project=project), distinct=True)  # other projects use the shipped ones too
    for version in stored.select_related("author").annotate(used=used, used_text=used_text).order_by("-number"):
        versions.setdefault(Key(version.scope, version.step, version.language), []).append(version)
    return {key: _history(key, versions.get(key, []), files[key.scope]) for key in prompt_keys}


def _history(
    key: Key, versions: Sequence[PromptVersion], files: Mapping[tuple[str, str], ShippedPrompt]
) -> PromptHistory:
    own_wordings = [wording(version) for version in versions if version.project_id]
    shipped_wordings = [wording(version) for version in versions if not version.project_id]
    file = files[key.step, key.language]
    if not shipped_wordings or sha256(shipped_wordings[0].text) != sha256(file.text):
        shipped_wordings.insert(
            0, PromptWording(shipped_wordings[0].number + 1 if shipped_wordings else 1, file.text, is_shipped=True)
        )
    return PromptHistory(key, [*own_wordings, *shipped_wordings])


def wording(version: PromptVersion) -> PromptWording:
    """A row as pages show it."""
    return PromptWording(
        number=version.number,
        text=version.text,
        is_shipped=version.project_id is None,
        adopted=version.adopted,
        note=version.note,
        author=version.author,
        created_at=version.created_at,
        runs=getattr(version, "used", 0) + getattr(version, "used_text", 0),
        pk=version.pk,
    )


def pieces(text: str) -> list[tuple[str, bool]]:
    """The wording in pieces, each with whether it is a slot, so that slots can be highlighted."""
    segments, offset = [], 0
    for slot in SLOT.finditer(text):
        segments += [(text[offset : slot.start()], False), (slot[0], True)]
        offset = slot.end()
    return [piece for piece in [*segments, (text[offset:], False)] if piece[0]]
