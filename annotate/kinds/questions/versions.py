"""The versions of a definition, and what an answer given under an older one is under the newest."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import BadDefinition, Definition, fault_at, read_definition
from annotate.kinds.values import BLANK
from lib.texts.stored_sentences import say as _
from lib.texts.yaml_core import Path, read_yaml

_OF_THE_CHANGE = {"formerly", "was"}  # what a question says about the version before is no part of what it asks


class Versions:
    """All versions of one project's definition, oldest first; answers keep the number of theirs, from 1."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self.definitions = list(definitions)

    @classmethod
    def read(cls, texts: Sequence[str]) -> "Versions":
        """Every version is checked against those before it. Raises BadDefinition."""
        versions = cls([])
        for text in texts:
            new = read_definition(text)
            if faults := [fault_at(read_yaml(text), *fault) for fault in contradictions_of_change(versions, new)]:
                raise BadDefinition(faults)
            versions = cls([*versions.definitions, new])
        return versions

    @property
    def newest(self) -> Definition:
        return self.definitions[-1]

    @property
    def number(self) -> int:
        return len(self.definitions)

    @cached_property
    def retired(self) -> dict[str, Question]:
        """Questions of older versions whose names the newest one does not use; their answers are kept."""
        older = {name: question for definition in self.definitions for name, question in definition.by_name.items()}
        return {name: question for name, question in older.items() if name not in self.newest.by_name}

    def upgraded(self, answers: Mapping[str, Any], version: int) -> dict[str, Any]:
        """Answers of that version under the names and values of the newest.

        Answers to questions that are no longer asked stay under their old names. An answer that the question can no
        longer have at all is left out: the stored one is untouched, and an older version shows it again.
        """
        if not 1 <= version < self.number:
            return dict(answers)
        origins = self._origins[version]
        upgraded = {
            name: answer for name, answer in answers.items() if name not in origins.values() and not self._asks(name)
        }
        for question in self.newest.questions:
            origin = origins.get(question.name)
            if origin is not None and origin in answers:
                answer = self._carried(question, answers[origin], version)
                if answer is not _NO_PLACE:
                    upgraded[question.name] = answer
        return upgraded

    def changed_since(self, version: int) -> list[tuple[str, str]]:
        """(question, added or changed) for those that the newest version asks otherwise than that one."""
        origins = self._origins.get(version, {})
        before = self.definitions[version - 1].by_name
        changed = []
        for question in self.newest.questions:
            origin = origins.get(question.name)
            if origin is None:
                changed.append((question.name, "added"))
            elif not _asks_the_same(before[origin], question):
                changed.append((question.name, "changed"))
        return changed

    def origins_before(self) -> dict[str, str]:
        """name in the newest version -> name in the one before, of questions that it had."""
        return self._origins.get(self.number - 1, {})

    def _asks(self, name: str) -> bool:
        return name in self.newest.by_name

    @cached_property
    def _origins(self) -> dict[int, dict[str, str]]:
        """version -> name in the newest version -> name in that version, of questions that it had."""
        return {version: dict(self._origins_in(version)) for version in range(1, self.number)}

    def _origins_in(self, version: int) -> Iterator[tuple[str, str]]:
        for question in self.newest.questions:
            *_later, (_number, name) = self._names_back_to(question, version)
            if name in self.definitions[version - 1].by_name:
                yield question.name, name

    def _names_back_to(self, question: Question, version: int) -> Iterator[tuple[int, str]]:
        """(version, name of this question there) from the newest version back to that one."""
        name = question.name
        for number in range(self.number, version - 1, -1):
            yield number, name
            asked = self.definitions[number - 1].by_name.get(name)
            if number > version and asked is not None and asked.formerly is not None:
                name = asked.formerly

    def _carried(self, question: Question, answer: Any, version: int) -> Any:
        names = list(self._names_back_to(question, version))
        origin = self.definitions[version - 1].by_name[names[-1][1]]
        if answer in BLANK or _asks_the_same(origin, question):
            return answer
        for number, name in reversed(names[:-1]):
            asked = self.definitions[number - 1].by_name.get(name)
            if asked is not None:
                answer = asked.mapped(answer)
        return _in_shape(question, answer)


_NO_PLACE = object()


def _asks_the_same(question: Question, other: Question) -> bool:
    """Whether two versions of a question differ at most in their names and in what they say of the version before."""
    unlike = {"name", *_OF_THE_CHANGE}
    return type(question) is type(other) and question.model_dump(exclude=unlike) == other.model_dump(exclude=unlike)


def _in_shape(question: Question, answer: Any) -> Any:
    """The answer in the shape of this question, converted only where nothing is added or lost."""
    for candidate in (answer, *_conversions(answer)):
        if not any(question.shape_faults(candidate)):
            return candidate
    return _NO_PLACE


def _conversions(answer: Any) -> Iterator[Any]:
    if isinstance(answer, list):
        if len(answer) == 1:
            yield answer[0]
        return
    yield str(answer)
    yield [str(answer)]
    try:
        yield int(str(answer))
    except ValueError:
        return


def contradictions_of_change(versions: Versions, new: Definition) -> Iterator[tuple[Path, str]]:
    """(path, message) of what a new version says about the version before and is not true; and names that meet.

    The first version of a project may be a copy of another project's third: what it says of that is passed over.
    """
    if not versions.definitions:
        return
    before = versions.newest.by_name
    claimed: set[str] = set()
    for index, question in enumerate(new.questions):
        if question.formerly is not None:
            for message in _of_the_old_name(question.formerly, before, new, claimed):
                yield ("questions", index, "formerly"), message
            claimed.add(question.formerly)
    names = {name for definition in versions.definitions for name in definition.by_name}
    for column in new.columns:
        if column in names and column not in new.shared_names:
            message = _("“%(name)s” was the name of a question in an older version; a shown column cannot have it.")
            yield ("show",), message % {"name": column}


def _of_the_old_name(name: str, before: Mapping[str, Question], new: Definition, claimed: set[str]) -> Iterator[str]:
    if name not in before:
        yield _("the version before has no question “%(name)s”.") % {"name": name}
    elif name in new.by_name:
        yield _("“%(name)s” is still asked; remove one of the two.") % {"name": name}
    elif name in claimed:
        yield _("another question was “%(name)s” already; remove one of the two.") % {"name": name}
