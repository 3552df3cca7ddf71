"""Options of boards, read from the query string of their addresses.

A board declares its options as typed fields with defaults. A word that a field does not take falls back to the
default; an unknown judge gives 404.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeVar, get_origin
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, QueryDict
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from annotate.models import Project
from judging.boards.report import Refused, ReportOptions, judge_named
from judging.models import Judge
from judging.verdicts.judges import judge_numbered
from judging.verdicts.verdict_scores import judges

SEQUENCES = (list, tuple, frozenset)


class BoardOptions(BaseModel):
    """The options of a board: each field has a default, and its name is that of the parameter in the address.

    Fields of sequences take every word of their parameter, others the last. Empty words count as not written.
    Fields with `exclude=True` are known to the project and never written in an address.
    """

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)
    _misread: frozenset[str] = PrivateAttr(default=frozenset())

    @classmethod
    def parse(cls, query: QueryDict, project: Project) -> Self:
        values, misread = cls.known(query, project), set()
        for name in cls.names():
            words = [word for word in query.getlist(name) if word]
            if name in values or not words:
                continue
            try:
                values[name] = cls._value(name, words)
            except ValidationError:
                misread.add(name)
        options = cls(**values)
        options._misread = frozenset(misread)
        return options

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        """Values that depend on the project, such as its judges. Raises Http404 for an unknown object."""
        return {}

    @classmethod
    def names(cls) -> list[str]:
        """The parameters of the address."""
        return [name for name, field in cls.model_fields.items() if not field.exclude]

    @classmethod
    def of_report(cls, project: Project, report_options: ReportOptions) -> Self:
        """The options of a command. Raises Refused for a name or a word that would not count."""
        options = cls.parse(cls.query_of(project, report_options), project)
        unknown = sorted(set(report_options.words) - set(cls.names()) | options.misread)
        if unknown:
            listed = ", ".join(cls.names()) or "none"
            raise Refused(f"This report does not take --option {unknown[0]} with that value. Its options: {listed}.")
        return options

    @classmethod
    def query_of(cls, project: Project, report_options: ReportOptions) -> QueryDict:
        query = QueryDict(mutable=True)
        query.update(report_options.words)
        return query

    @classmethod
    def _value(cls, name: str, words: Sequence[str]) -> Any:
        is_sequence = get_origin(cls.model_fields[name].annotation) in SEQUENCES
        return getattr(cls.model_validate({name: list(words) if is_sequence else words[-1]}), name)

    @property
    def misread(self) -> frozenset[str]:
        """Names of parameters whose word was not taken; they have their default."""
        return self._misread

    @property
    def written(self) -> frozenset[str]:
        """Names of parameters that the address gives, and that were taken."""
        return frozenset(self.model_fields_set)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and word of every parameter that differs from its default, for links and forms."""
        return [pair for name in self.names() if not self._is_default(name) for pair in self._pairs(name)]

    @property
    def address(self) -> str:
        """The query string."""
        return urlencode(self.parameters)

    def address_with(self, **changes: Any) -> str:
        """The query string of these options with some of them changed."""
        return self.model_copy(update=changes).address

    def _is_default(self, name: str) -> bool:
        return bool(getattr(self, name) == type(self).model_fields[name].get_default(call_default_factory=True))

    def _pairs(self, name: str) -> list[tuple[str, str]]:
        value = getattr(self, name)
        return [(name, word_of(part)) for part in (value if isinstance(value, SEQUENCES) else [value])]


def word_of(value: Any) -> str:
    """A value as the address writes it."""
    if isinstance(value, Judge):
        return str(value.pk)
    return "1" if value is True else str(value)


class JudgeBoardOptions(BoardOptions):
    """Options of boards about one judge. judges: all judges of the project, the one with most verdicts first.

    judge: the one that the address names, else the first; None if nobody has judged anything. The address always names
    the judge, because another one may come first tomorrow.
    """

    judges: tuple[Judge, ...] = Field(default=(), exclude=True)
    judge: Judge | None = None

    @classmethod
    def known(cls, query: QueryDict, project: Project) -> dict[str, Any]:
        project_judges = tuple(judges(project))
        return {"judges": project_judges, "judge": judge_in(query, project_judges)}

    @classmethod
    def query_of(cls, project: Project, report_options: ReportOptions) -> QueryDict:
        query = super().query_of(project, report_options)
        query["judge"] = str(judge_named(project, report_options.judge).pk)
        return query


def judge_in(query: Mapping[str, str], project_judges: Sequence[Judge]) -> Judge | None:
    """The judge of `?judge=`, else the first one, if there is one. Raises Http404 for an unknown judge."""
    word = query.get("judge", "")
    if not word:
        return next(iter(project_judges), None)
    judge = judge_numbered(project_judges, word)
    if judge is None:
        raise Http404
    return judge


PAGE = 25
MOST_DIGITS = 9


class HasJudge(Protocol):
    @property
    def pk(self) -> int: ...


JudgedT = TypeVar("JudgedT", bound=HasJudge)


def chosen_judge(judge_pk: str, judges: Sequence[JudgedT]) -> JudgedT:
    """The judge with this number, or the first one without a number. Raises Http404 if there is none."""
    matches = [judge for judge in judges if str(judge.pk) == judge_pk] if judge_pk else judges
    if not matches:
        raise Http404
    return matches[0]


def start_of(request: HttpRequest) -> int:
    """`?start=`, rounded down to the beginning of a page."""
    text = request.GET.get("start", "")
    start = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0
    return start - start % PAGE


def number_of(request: HttpRequest, most: int) -> int:
    """`?n=`, from 1 to most; most for anything else."""
    text = request.GET.get("n", "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else most
    return number if 1 <= number <= most else most


def address_without(request: HttpRequest, *names: str) -> str:
    query = request.GET.copy()
    for name in names:
        query.pop(name, None)
    return query.urlencode()


def whole_number(text: str) -> int:
    """A number of an address; 0 if it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0
