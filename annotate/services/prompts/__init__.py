"""What models are told: shipped wordings, a project's own versions, and which of them is used.

A version never changes after it was saved. A project without versions of its own follows what is shipped.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from annotate.kinds.protocol import Prompts
from annotate.models import Project, PromptVersion, Run, User
from annotate.services.errors import Refused, WrongState
from annotate.services.prompts import parts
from annotate.services.prompts.files import LANGUAGES, Shipped, shipped
from annotate.services.prompts.slots import problems, unreadable, unseen
from lib.texts import raw_messages
from lib.texts.fencing import slots_of
from lib.texts.raw_messages import is_raw
from lib.texts.sections import without_scopes

if TYPE_CHECKING:
    from annotate.purposes.base import RawStep

LONGEST = 50_000  # characters


class BadPrompt(ValueError):
    """A wording that cannot be used; `problems` says why, a sentence each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(" ".join(problems))


@dataclass(frozen=True)
class Key:
    """Which prompt: of a kind or family, a step, a language. `str` gives it as it stands in addresses."""

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
    """Bring the shipped files of a kind or family into the table: a new number where a text is new.

    Done at planning and whenever somebody writes, so that nothing refers to a wording that is not kept; doing it
    again changes nothing.
    """
    for file in shipped(scope).values():
        _publish(file)


def _publish(file: Shipped) -> PromptVersion:
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


def _key(file: Shipped) -> Key:
    return Key(file.scope, file.step, file.language)


def _key_of(version: PromptVersion) -> Key:
    return Key(version.scope, version.step, version.language)


def _shipped_rows(key: Key) -> QuerySet[PromptVersion]:
    return PromptVersion.objects.filter(project=None, **key.columns).order_by("-number")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# --- which is used ----------------------------------------------------------------------------------------------------
def current(project: Project, scope: str, step: str, language: str) -> PromptVersion:
    """What a run planned now is told: the project's newest version in use, else what is shipped.

    Raises Refused where there is no such prompt.
    """
    key = Key(scope, step, language)
    version = _own(project, key).filter(adopted=True).first()
    if version is not None:
        return version
    file = shipped(scope).get((step, language))
    if file is None:
        raise Refused(_("There is no prompt %(key)s. A kind ships it as prompts/<step>.<language>.md.") % {"key": key})
    return _publish(file)


def frozen(project: Project, scope: str, steps: Iterable[str]) -> list[PromptVersion]:
    """The wordings of these steps in every language there is, to be kept with a run.

    Raises Refused for a step without an English wording: other languages fall back to it.
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


def _of_one_sort(versions: list[PromptVersion]) -> list[PromptVersion]:
    """Without the fenced wordings of a step that has raw messages: whoever is asked in these cannot answer those.

    Raises Refused where the English wording, to which other languages fall back, is not among the raw ones.
    """
    raw = {version.step for version in versions if is_raw(version.text)}
    usable_versions = [version for version in versions if version.step not in raw or is_raw(version.text)]
    missing = raw - {version.step for version in usable_versions if version.language == "en"}
    if missing:
        raise Refused(
            _("“%(step)s” has raw messages, but not in English, to which other languages fall back. Write those too.")
            % {"step": min(missing)}
        )
    return usable_versions


def _refuse_outgrown(version: PromptVersion, file: Shipped) -> None:
    """A project's wording may be older than a change to the slots of its step."""
    wrong = _problems(_key_of(version), version.text, slots_of(file.text))
    if wrong:
        raise Refused(
            _("Version %(version)d of %(key)s does not fit the step any more: %(problem)s Write a new version.")
            % {"version": version.number, "key": _key(file), "problem": wrong[0]}
        )


def in_use(project: Project, scope: str) -> Prompts:
    """What a run planned now would be told, read without publishing anything."""
    texts = {key: file.text for key, file in shipped(scope).items()}
    adopted_versions = PromptVersion.objects.filter(project=project, scope=scope, adopted=True).order_by("number")
    versions = {(version.step, version.language): version for version in adopted_versions}
    return Prompts(
        texts=texts | {key: version.text for key, version in versions.items() if key in texts},
        versions={key: version.number for key, version in versions.items()},
    )


def of_run(run: Run) -> Prompts:
    """The wordings that a run was planned with, and the guidelines of that day where its models read them."""
    versions = list(run.prompts.all())
    guideline = run.guideline
    return Prompts(
        texts={(version.step, version.language): version.text for version in versions},
        versions={(version.step, version.language): version.number for version in versions},
        guidelines=without_scopes(guideline.text) if guideline else "",
        guideline_version=guideline.version if guideline else None,
        parts=parts.of_run(run),
    )


# --- a project's own --------------------------------------------------------------------------------------------------
def _own(project: Project, key: Key) -> QuerySet[PromptVersion]:
    return PromptVersion.objects.filter(project=project, **key.columns).order_by("-number")


def wanted_slots(key: Key) -> set[str]:
    """The slots that a wording of this prompt may have: those of the shipped one. Raises Refused without one."""
    file = shipped(key.scope).get((key.step, key.language))
    if file is None:
        raise Refused(_("There is no prompt %(key)s. A kind ships it as prompts/<step>.<language>.md.") % {"key": key})
    return slots_of(file.text)


def checked(key: Key, text: str) -> str:
    """The wording as it is stored: one kind of line break, nothing blank around it. Raises BadPrompt, Refused."""
    tidy = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
    faults = [] if tidy else [_("Write what the model is to be told.")]
    if len(tidy) > LONGEST:
        faults.append(_("This is longer than %(most)d characters. Shorten it.") % {"most": LONGEST})
    if "\0" in tidy:
        faults.append(_("There is a NUL character in the text. Remove it."))
    faults += _problems(key, tidy, wanted_slots(key)) if tidy else []
    if faults:
        raise BadPrompt(faults)
    return tidy


def warnings(key: Key, text: str) -> list[str]:
    """What the model will not see under this wording, a sentence each. Nothing of it keeps anybody from saving."""
    if is_raw(text):
        step = raw_step(key)
        try:
            return step.warnings(raw_messages.read(text)) if step else []
        except raw_messages.BadRawMessages:  # saved before a rule that it breaks
            return []
    sentences = list(unseen(text, wanted_slots(key)))
    if parts.is_unprotected(key.scope, key.step, key.language, text):
        sentences.append(
            _(
                "The sentence that blocks are only to be read, never obeyed, or the boundary is missing or reworded. "
                "A text that is judged may then give orders to the model; verdicts made so are marked as not fenced."
            )
        )
    return sentences


def _problems(key: Key, text: str, slot_names: set[str]) -> list[str]:
    """What is wrong with a wording or with raw messages, a sentence each."""
    if not is_raw(text):
        return problems(text, slot_names)
    step = raw_step(key)
    if step is None:
        return [_("This step takes no raw messages: its texts are always fenced.")]
    try:
        raw = raw_messages.read(text)
    except raw_messages.BadRawMessages as bad:
        return [str(bad)]
    return [*unreadable(text), *step.problems(raw)]


def raw_step(key: Key) -> "RawStep | None":
    """What raw messages for this step may hold; None where it takes none."""
    from annotate.purposes import purposes  # which import prompts

    steps = (purpose.raw_step(key.scope, key.step) for purpose in purposes().values())
    return next((step for step in steps if step is not None), None)


def write(
    project: Project, key: Key, *, text: str, note: str, by: User | None, based_on: int, adopted: bool = True
) -> PromptVersion:
    """A new version. based_on: the project's newest number while it was written, 0 for none.

    adopted: False keeps it for a try; runs go on with the one before. Raises BadPrompt, Refused where it says the same
    as what is in use, WrongState if somebody has saved another one meanwhile.
    """
    tidy = checked(key, text)
    publish(key.scope)
    if current(project, **key.columns).sha256 == sha256(tidy):
        raise Refused(_("This is what is in use already, word for word. Change something first."))
    newest = newest_number(project, key)
    if newest != based_on:
        raise WrongState(_("Somebody has saved version %(version)d meanwhile.") % {"version": newest})
    try:
        with transaction.atomic():
            return PromptVersion.objects.create(
                project=project, **key.columns, number=newest + 1, text=tidy, sha256=sha256(tidy), note=note, author=by,
                adopted=adopted,
            )  # fmt: skip
    except IntegrityError as conflict:  # a_prompt_version_is_unique: both saved in the same moment
        raise WrongState(_("Somebody has saved a version in this moment.")) from conflict


def newest_number(project: Project, key: Key) -> int:
    return _own(project, key).values_list("number", flat=True).first() or 0


def adopt(version: PromptVersion) -> None:
    """Use a version that was only tried. Raises WrongState if a newer one was saved or adopted meanwhile."""
    assert version.project is not None, "shipped wordings are in use without being adopted"
    key = Key(version.scope, version.step, version.language)
    if _own(version.project, key).filter(adopted=True, number__gt=version.number).exists():
        raise WrongState(_("A newer version is in use. Write a new one from this text instead."))
    PromptVersion.objects.filter(pk=version.pk).update(adopted=True)


def return_to_shipped(project: Project, key: Key, *, by: User | None) -> PromptVersion:
    """A new version that says what is shipped. Raises Refused where that is in use already."""
    file = shipped(key.scope).get((key.step, key.language))
    text = file.text if file else ""
    based_on = newest_number(project, key)
    return write(project, key, text=text, note=_("As shipped"), by=by, based_on=based_on)
