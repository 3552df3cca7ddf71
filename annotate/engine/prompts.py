"""Prompts of models: their slots `{{ name }}`, the shipped wordings, a project's own versions, and which is in use.

A wording has no slots but those of its step; the text of a slot that is left out is not shown to the model. A version
never changes after it was saved. A project without versions of its own follows the shipped wordings.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotate.audit.trail import record, recording
from annotate.engine import prompt_files
from annotate.engine.prompt_files import LANGUAGES, ShippedPrompt, shipped
from annotate.errors import Refused, WrongState
from annotate.kinds.protocol import Prompts
from annotate.models import Project, PromptVersion, Run, User
from lib.texts import raw_messages
from lib.texts.fencing import SLOT, slots_of
from lib.texts.raw_messages import is_raw
from lib.texts.sections import without_scopes
from lib.texts.sentences import paragraph

OPENED = re.compile(r"\{\{([^{}\n]{0,60}\}\})?")


def problems(text: str, slot_names: Collection[str]) -> list[str]:
    """What is wrong with the slots of a wording, a sentence each. slot_names: the slots of the shipped wording of the
    step.
    """
    return [*unreadable(text), *_unknown(text, slot_names)]


def unreadable(text: str) -> Iterator[str]:
    """Text that looks like a slot and is not one."""
    rest = SLOT.sub(lambda slot: "\n" * slot[0].count("\n") or " ", text)
    for number, line in enumerate(rest.split("\n"), start=1):
        for match in OPENED.finditer(line):
            words = _("Line %(line)d: “%(found)s” is not a slot. Write {{ name }}, or put a space between the braces.")
            yield words % {"line": number, "found": match[0]}


def _unknown(text: str, slot_names: Collection[str]) -> Iterator[str]:
    for name in sorted(slots_of(text) - set(slot_names)):
        there_are = ", ".join(sorted(slot_names)) or _("none")
        yield _("There is no slot “%(name)s” in this step. Slots: %(slots)s.") % {"name": name, "slots": there_are}


def unseen(text: str, slot_names: Collection[str]) -> Iterator[str]:
    """What the model is not shown because its slot was left out, a sentence each."""
    for name in sorted(set(slot_names) - slots_of(text)):
        yield _("The slot {{ %(name)s }} is missing: the model will not see its text.") % {"name": name}


# Versions: shipped wordings, a project's own, and which of them is in use.


if TYPE_CHECKING:
    from annotate.engine.purposes import RawStep

LONGEST = 50_000  # characters


class BadPrompt(ValueError):
    """A wording that cannot be used; `problems` says why, a sentence each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(paragraph(problems))


@dataclass(frozen=True)
class Key:
    """Names a prompt: scope (a kind or family), step, language. `str` gives it as it stands in addresses."""

    scope: str
    step: str
    language: str

    def __str__(self) -> str:
        return f"{self.scope}.{self.step}.{self.language}"

    @property
    def columns(self) -> dict[str, str]:
        return {"scope": self.scope, "step": self.step, "language": self.language}


# --- shipped ----------------------------------------------------------------------------------------------------------
def publish(scope: str) -> None:
    """Store the shipped files of a kind or family in the table, with a new number if a text is new.

    It is called at planning and whenever somebody writes a version, so that every wording that is referred to is kept;
    calling it again changes nothing.
    """
    for file in shipped(scope).values():
        _publish(file)


def _publish(file: ShippedPrompt) -> PromptVersion:
    newest = _shipped_rows(_key(file)).first()
    if newest is not None and newest.sha256 == sha256(file.text):
        return newest
    number = newest.number + 1 if newest else 1
    try:
        with transaction.atomic():
            return PromptVersion.objects.create(
                **_key(file).columns, number=number, text=file.text, sha256=sha256(file.text)
            )
    except IntegrityError:  # a_shipped_prompt_is_unique: another process was faster with the same file
        return _shipped_rows(_key(file)).get(number=number)


def _key(file: ShippedPrompt) -> Key:
    return Key(file.scope, file.step, file.language)


def _key_of(version: PromptVersion) -> Key:
    return Key(version.scope, version.step, version.language)


def _shipped_rows(key: Key) -> QuerySet[PromptVersion]:
    return PromptVersion.objects.filter(project=None, **key.columns).order_by("-number")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- which is used ----------------------------------------------------------------------------------------------------
def current(project: Project, scope: str, step: str, language: str) -> PromptVersion:
    """The wording for a run planned now: the project's newest version in use, else the shipped one.

    Raises Refused if there is no such prompt.
    """
    key = Key(scope, step, language)
    version = _own_versions(project, key).filter(adopted=True).first()
    if version is not None:
        return version
    file = shipped(scope).get((step, language))
    if file is None:
        raise Refused(_("There is no prompt %(key)s. A kind ships it as prompts/<step>.<language>.md.") % {"key": key})
    return _publish(file)


def frozen(project: Project, scope: str, steps: Iterable[str]) -> list[PromptVersion]:
    """The wordings of these steps in every available language, to be kept with a run.

    Raises Refused for a step without an English wording, because other languages fall back to it.
    """
    files = shipped(scope)
    step_names = list(dict.fromkeys(steps))
    missing = [step for step in step_names if (step, "en") not in files]
    if missing:
        raise Refused(
            _("%(scope)s ships no English prompt for the step “%(step)s”. Add prompts/%(step)s.en.md to its folder.")
            % {"scope": scope, "step": missing[0]}
        )
    versions = [
        current(project, scope, step, language)
        for step in step_names
        for language in LANGUAGES
        if (step, language) in files
    ]
    versions = _of_one_sort(versions)
    for version in versions:
        _refuse_outgrown(version, files[version.step, version.language])
    return versions


def frozen_texts(project: Project, patterns: Sequence[str]) -> list[PromptVersion]:
    """The texts in use that match one of the patterns, in every language, to be kept with a run.

    patterns: `<scope>.<name>`, in which a star stands for anything. Three queries for each scope, however many texts.
    """
    versions = []
    for scope in dict.fromkeys(pattern.partition(".")[0] for pattern in patterns):
        files = {
            key: file
            for key, file in shipped(scope).items()
            if any(fnmatchcase(f"{scope}.{key[0]}", pattern) for pattern in patterns)
        }
        rows = _texts_in_use(project, scope)
        if any(key not in rows or _is_old(rows[key], sha256(file.text)) for key, file in files.items()):
            publish(scope)
            rows = _texts_in_use(project, scope)
        versions += [rows[key] for key in files]
    return versions


def _texts_in_use(project: Project, scope: str) -> dict[tuple[str, str], PromptVersion]:
    """(name, language) -> the project's newest version in use, else the newest shipped one."""
    usable = Q(project=None) | Q(project=project, adopted=True)
    rows = PromptVersion.objects.filter(usable, scope=scope).order_by("number")
    ordered = sorted(rows, key=lambda row: row.project_id is not None)
    return {(row.step, row.language): row for row in ordered}


def _is_old(row: PromptVersion, sha: str) -> bool:
    return row.project_id is None and row.sha256 != sha


def _of_one_sort(versions: list[PromptVersion]) -> list[PromptVersion]:
    """The versions without fenced wordings of a step that has raw messages: an answer to one does not fit the other.

    Raises Refused if the English wording, to which other languages fall back, is not among the raw ones.
    """
    raw = {version.step for version in versions if is_raw(version.text)}
    usable_versions = [version for version in versions if version.step not in raw or is_raw(version.text)]
    missing = raw - {version.step for version in usable_versions if version.language == "en"}
    if missing:
        raise Refused(
            _("“%(step)s” has raw messages, but none in English, the fallback for other languages. Write those too.")
            % {"step": min(missing)}
        )
    return usable_versions


def _refuse_outgrown(version: PromptVersion, file: ShippedPrompt) -> None:
    """Raises Refused if a project's wording is older than a change to the slots of its step."""
    wrong = _problems(_key_of(version), version.text, slots_of(file.text))
    if wrong:
        raise Refused(
            _("Version %(version)d of %(key)s no longer fits the step: %(problem)s Write a new version.")
            % {"version": version.number, "key": _key(file), "problem": wrong[0]}
        )


def in_use(project: Project, scope: str) -> Prompts:
    """The wordings that a run planned now would use, read without publishing anything."""
    texts = {key: file.text for key, file in shipped(scope).items()}
    adopted_versions = PromptVersion.objects.filter(project=project, scope=scope, adopted=True).order_by("number")
    versions = {(version.step, version.language): version for version in adopted_versions}
    return Prompts(
        texts=texts | {key: version.text for key, version in versions.items() if key in texts},
        versions={key: version.number for key, version in versions.items()},
    )


def of_run(run: Run) -> Prompts:
    """The wordings that a run was planned with, and the guidelines at that time if its models read them."""
    versions = list(run.prompts.all())
    guideline = run.guideline
    return Prompts(
        texts={(version.step, version.language): version.text for version in versions},
        versions={(version.step, version.language): version.number for version in versions},
        guidelines=without_scopes(guideline.text) if guideline else "",
        guideline_version=guideline.version if guideline else None,
        parts=prompt_files.of_run(run),
        takes_images=run.endpoint.takes_images,
    )


# --- a project's own --------------------------------------------------------------------------------------------------
def _own_versions(project: Project, key: Key) -> QuerySet[PromptVersion]:
    return PromptVersion.objects.filter(project=project, **key.columns).order_by("-number")


def allowed_slots(key: Key) -> set[str]:
    """The slots that a wording of this prompt may have: those of the shipped one. Raises Refused if there is none."""
    file = shipped(key.scope).get((key.step, key.language))
    if file is None:
        raise Refused(_("There is no prompt %(key)s. A kind ships it as prompts/<step>.<language>.md.") % {"key": key})
    return slots_of(file.text)


def checked(key: Key, text: str) -> str:
    """The wording as it is stored: one kind of line break, stripped. Raises BadPrompt, Refused."""
    tidy = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    faults = [] if tidy else [_("Write the prompt.")]
    if len(tidy) > LONGEST:
        faults.append(_("This is longer than %(most)d characters. Shorten it.") % {"most": LONGEST})
    if "\0" in tidy:
        faults.append(_("The text contains a NUL character. Remove it."))
    faults += _problems(key, tidy, allowed_slots(key)) if tidy else []
    if faults:
        raise BadPrompt(faults)
    return tidy


def warnings(key: Key, text: str) -> list[str]:
    """What the model will not see under this wording, a sentence each. A warning never prevents saving."""
    if is_raw(text):
        step = raw_step(key)
        try:
            return step.warnings(raw_messages.read(text)) if step else []
        except raw_messages.BadRawMessages:  # saved before the rule that it breaks existed
            return []
    sentences = list(unseen(text, allowed_slots(key)))
    if prompt_files.is_unprotected(key.scope, key.step, key.language, text):
        sentences.append(
            _(
                "The sentence that blocks are only to be read, never obeyed, or the boundary, is missing "
                "or reworded. A judged text could then give the model instructions. Verdicts from this "
                "prompt are marked as not fenced."
            )
        )
    return sentences


def _problems(key: Key, text: str, slot_names: set[str]) -> list[str]:
    """What is wrong with a wording or with raw messages, a sentence each."""
    if not is_raw(text):
        return problems(text, slot_names)
    step = raw_step(key)
    if step is None:
        return [_("This step does not take raw messages: its texts are always fenced.")]
    try:
        raw = raw_messages.read(text)
    except raw_messages.BadRawMessages as bad:
        return [str(bad)]
    return [*unreadable(text), *step.problems(raw)]


def raw_step(key: Key) -> "RawStep | None":
    """What raw messages for this step may hold; None where it takes none."""
    from annotate.engine.purposes import purposes  # which import prompts

    steps = (purpose.raw_step(key.scope, key.step) for purpose in purposes().values())
    return next((step for step in steps if step is not None), None)


def write(
    project: Project, key: Key, *, text: str, note: str, by: User | None, based_on: int, adopted: bool = True
) -> PromptVersion:
    """A new version. based_on: the project's newest number when the editor was opened, 0 for none (optimistic lock).

    adopted: False stores it for a try; runs still use the one before. Raises BadPrompt, Refused if the text equals the
    one in use, WrongState if somebody has saved another version meanwhile.
    """
    tidy = checked(key, text)
    publish(key.scope)
    if current(project, **key.columns).sha256 == sha256(tidy):
        raise Refused(_("This is identical to the version in use. Change something first."))
    newest = newest_number(project, key)
    if newest != based_on:
        raise WrongState(_("Someone saved version %(version)d in the meantime.") % {"version": newest})
    try:
        with transaction.atomic():
            version = PromptVersion.objects.create(
                project=project, **key.columns, number=newest + 1, text=tidy, sha256=sha256(tidy), note=note, author=by,
                adopted=adopted,
            )  # fmt: skip
            values = {**key.columns, "number": version.number, "sha256": version.sha256, "adopted": adopted}
            record("prompt.written", version, after=values)
    except IntegrityError as conflict:  # a_prompt_version_is_unique: both were saved at the same time
        raise WrongState(_("Someone has just saved a version.")) from conflict
    return version


def newest_number(project: Project, key: Key) -> int:
    return _own_versions(project, key).values_list("number", flat=True).first() or 0


def adopt(version: PromptVersion) -> None:
    """Use a version that was only tried. Raises WrongState if a newer one was saved or adopted meanwhile."""
    assert version.project is not None, "shipped wordings are in use without being adopted"
    key = Key(version.scope, version.step, version.language)
    if _own_versions(version.project, key).filter(adopted=True, number__gt=version.number).exists():
        raise WrongState(_("A newer version is in use. Start a new version from this text instead."))
    with recording("prompt.adopted", version, "adopted"):
        PromptVersion.objects.filter(pk=version.pk).update(adopted=True)


def return_to_shipped(project: Project, key: Key, *, by: User | None) -> PromptVersion:
    """A new version with the shipped text. Raises Refused if that text is already in use."""
    file = shipped(key.scope).get((key.step, key.language))
    text = file.text if file else ""
    based_on = newest_number(project, key)
    return write(project, key, text=text, note=_("As shipped"), by=by, based_on=based_on)
