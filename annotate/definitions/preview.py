"""What a text of the editor makes: its faults, or its work page and what it does to stored answers."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, QueryDict
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotate.definitions.actions import checked, preview_facts
from annotate.definitions.templates import all_templates
from annotate.errors import Refused
from annotate.items.queries import count_up_to
from annotate.kinds.contract import Kind
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import Fault
from annotate.kinds.questions.versions import Versions
from annotate.kinds.values import BLANK, BadShape
from annotate.models import Annotation, Item, Project

WIDTHS = ("", "390")
LANGUAGES = ("", "en", "zh")


@dataclass(frozen=True)
class PreviewOptions:
    """What the preview shows: `edit` is how the definition beside it is edited, and stands in the same address.

    item: the id of an item, or the number of a sample row, from 1; 0 for the first. width: in pixels; "" for all there
    is. language: en or zh; "" for the reader's.
    """

    edit: str = "form"
    item: int = 0
    width: str = ""
    language: str = ""

    @classmethod
    def read(cls, request: HttpRequest) -> "PreviewOptions":
        """From the address, and what it lacks from the form; what cannot be read is the default."""
        parameters = request.POST.dict() | request.GET.dict()
        item, width, language = (str(parameters.get(name, "")) for name in ("item", "width", "language"))
        return cls(
            edit="text" if parameters.get("edit") == "text" else "form",
            item=int(item) if item.isascii() and item.isdecimal() and len(item) < 19 else 0,
            width=width if width in WIDTHS else "",
            language=language if language in LANGUAGES else "",
        )

    @property
    def address(self) -> str:
        """The query of the page that shows this."""
        defaults = asdict(PreviewOptions())
        parameters = {name: value for name, value in asdict(self).items() if value != defaults[name]}
        return "?" + urlencode(parameters)

    @property
    def language_code(self) -> str:
        """As Django calls it."""
        return {"zh": "zh-hans"}.get(self.language, self.language) or get_language() or "en"

    @property
    def lang(self) -> str:
        return self.language_code.partition("-")[0]

    @property
    def widths(self) -> list[tuple[str, str, bool]]:
        """(address, name, whether it is shown now)."""
        names = {"": _("Wide"), "390": _("390 px")}
        return [(replace(self, width=width).address, name, width == self.width) for width, name in names.items()]

    @property
    def languages(self) -> list[tuple[str, str, bool]]:
        names = {"en": "English", "zh": "中文"}
        return [(replace(self, language=code).address, name, code == self.lang) for code, name in names.items()]


@dataclass(frozen=True)
class PreviewedItem:
    """An item under the previewed questions. number: as in the address; previous, following: of those beside it."""

    item: Item
    name: str
    number: int = 0
    previous: int | None = None
    following: int | None = None


def looked_at(project: Project, text: str, options: PreviewOptions, tried: QueryDict | None = None) -> dict[str, Any]:
    """The context of definitions/_preview.html: `faults`, or the work page and, for a changed text, `effects`.

    tried: what somebody has answered in the preview, which stays there as far as these questions allow it. `unasked`:
    inputs of questions that these are not, so that a renamed one finds its answer again.
    """
    newest, tried = project.definitions.first(), tried or QueryDict()
    try:
        kind = project.kind if newest and newest.text == text else checked(project, text)
    except Refused as refused:
        return {"faults": faults_of(refused), "options": options, "unasked": _unasked((), tried)}
    questions = kind.questions().values()
    previewed = _previewed(project, kind, options.item)
    facts = kind.read_facts(previewed.item.facts)
    columns = {
        "kind": kind,
        "item": previewed.item,
        "facts": facts,
        "draft": kind.empty_draft(facts) | tried_answers(kind, facts, _under_new_names(questions, tried)),
        "unasked": _unasked(questions, tried),
        "previewed": True,
        "stale": stale_count(project, kind),
        "named": previewed,
        "options": replace(options, item=previewed.number),
        "beside": [
            (verb, replace(options, item=number).address)
            for verb, number in (("previous", previewed.previous), ("next", previewed.following))
            if number is not None
        ],
    }
    return columns if kind is project.kind else columns | {"effects": effects(project, kind)}


def tried_answers(kind: Kind, facts: Any, data: QueryDict) -> dict[str, Any]:
    """The answers in the posted inputs of a work page that fit these questions, by their names."""
    posted = kind.read_form(data, facts)
    return {
        name: posted[name]
        for name, question in kind.questions().items()
        if _is_there(question.control.name, data) and _fits(question, posted[name], facts.columns)
    }


def _is_there(control: str, data: QueryDict) -> bool:
    return any(_is_of(control, name) for name in data)


def _is_of(control: str, name: str) -> bool:
    return name == control or name.startswith((f"{control}-", f"{control}."))


def _under_new_names(questions: Iterable[Question], data: QueryDict) -> QueryDict:
    """The inputs of renamed questions under their new names too, where these have none yet."""
    renamed = data.copy()
    for question in questions:
        control, formerly = question.control.name, question.model_copy(update={"name": question.formerly}).control.name
        if question.formerly and not _is_there(control, data):
            for name in [name for name in data if _is_of(formerly, name)]:
                renamed.setlist(control + name.removeprefix(formerly), data.getlist(name))
    return renamed


def _unasked(questions: Iterable[Question], data: QueryDict) -> list[tuple[str, str]]:
    """(name, value) of each input of a work page that belongs to none of the questions."""
    controls = [question.control.name for question in questions]
    names = [name for name in data if name.startswith("q-") and not any(_is_of(control, name) for control in controls)]
    return [(name, str(value)) for name in names for value in data.getlist(name)]


def _fits(question: Question, answer: Any, columns: Mapping[str, Any]) -> bool:
    if any(question.shape_faults(answer)):
        return False
    may_be_unfinished = question.how in ("text", "ranking")
    return may_be_unfinished or question.is_blank(answer) or not any(question.limits(answer, columns))


def faults_of(refused: Refused) -> list[Fault]:
    """The faults of a definition that was refused; other causes, such as items that lack a column, are one fault."""
    faults = getattr(refused.__cause__, "faults", None)
    return list(faults) if faults else [Fault(1, "", str(refused))]


def _previewed(project: Project, kind: Kind, number: int) -> PreviewedItem:
    """The item or the sample row with this number, or the first one; or an item that names its columns."""
    previewed = _stored(project, kind, number) or _sample(project, kind, number)
    if previewed is None or not _can_be_read(kind, previewed.item.facts):
        example = Item(pk=0, project=project, key="", facts=kind.example_facts())
        previewed = replace(previewed, item=example) if previewed else PreviewedItem(example, _("an example"))
    previewed.item.project = Project.objects.get(pk=project.pk)
    previewed.item.project.__dict__["kind"] = kind
    return previewed


def _stored(project: Project, kind: Kind, number: int) -> PreviewedItem | None:
    items = Item.objects.filter(project=project).order_by("pk")
    item = (items.filter(pk=number).first() if number else None) or items.first()
    if item is None:
        return None
    item.facts = preview_facts(project, kind, item)
    before = items.filter(pk__lt=item.pk).values_list("pk", flat=True).last()
    after = items.filter(pk__gt=item.pk).values_list("pk", flat=True).first()
    return PreviewedItem(item, item.key, item.pk, before, after)


def _sample(project: Project, kind: Kind, number: int) -> PreviewedItem | None:
    """A row of the template that the project was started from, or of the kind, where it has the shown columns."""
    rows = [facts for facts in _sample_facts(project, kind) if _can_be_read(kind, facts)]
    if not rows:
        return None
    number = number if 1 <= number <= len(rows) else 1
    name = _("row %(number)d of the example") % {"number": number}
    item = Item(pk=0, project=project, key="", facts=rows[number - 1])
    return PreviewedItem(item, name, number, number - 1 or None, number + 1 if number < len(rows) else None)


def _sample_facts(project: Project, kind: Kind) -> Iterator[Mapping[str, Any]]:
    first = project.definitions.order_by("version").values_list("text", flat=True).first()
    template = next((template for template in all_templates().values() if template.definition == first), None)
    for row in map(json.loads, (template.sample if template else kind.sample).splitlines()):
        columns = {**row, **kind.read_row(row).facts}
        yield {name: columns[name] for name in kind.fact_names if name in columns}


def _can_be_read(kind: Kind, facts: Mapping[str, Any]) -> bool:
    try:
        kind.read_facts(facts)
    except BadShape:
        return False
    return True


# What a new version does to stored answers, counted before anything changes.


MOST_ANSWERS = 50_000  # texts that are looked at; beyond that the counts are of the newest
Fate = Literal["kept", "mapped", "invalid", "no_place", "new", "retired"]
MEANINGS: Mapping[Fate, Promise] = {
    "kept": gettext_lazy("kept as they are"),
    "mapped": gettext_lazy("under a new name or value"),
    "invalid": gettext_lazy("no longer among the allowed answers; kept, and shown as a problem"),
    "no_place": gettext_lazy("cannot be an answer of the new type; stored, and back with an older version"),
    "new": gettext_lazy("not asked so far; counted as missing"),
    "retired": gettext_lazy("no longer asked; kept under the old name"),
}


@dataclass(frozen=True)
class Effect:
    """How many stored answers to a question have this fate."""

    question: str
    fate: Fate
    count: int

    @property
    def meaning(self) -> str | Promise:
        return MEANINGS[self.fate]


@dataclass(frozen=True)
class Effects:
    """answers: how many submitted texts were looked at; cut: whether there are more.

    by_question: in the order of the form. shown, hidden: columns that people will see from now on, or no more.
    suggestions: of models that nobody has opened; unfit: those of them with an answer that is no longer allowed.
    """

    answers: int
    cut: bool
    by_question: list[Effect]
    shown: list[str]
    hidden: list[str]
    suggestions: int
    unfit: int


def effects(project: Project, kind: Kind) -> Effects:
    """kind: of the project, with the new version."""
    versions = cast(Versions, kind.versions)  # type: ignore[attr-defined]
    counts: Counter[tuple[str, Fate]] = Counter()
    read_count = 0
    for draft, schema in _submitted(project)[: MOST_ANSWERS + 1]:
        read_count += 1
        if read_count <= MOST_ANSWERS:
            counts.update(_fates(versions, project.kind.upgrade(draft, schema), kind.upgrade(draft, schema)))
    order = [*versions.newest.by_name, *versions.retired]
    before, after = list(project.kind.fact_names), list(kind.fact_names)
    suggestions = [_is_unfit(project.kind, kind, *row) for row in _unopened(project)[:MOST_ANSWERS]]
    return Effects(
        answers=min(read_count, MOST_ANSWERS),
        cut=read_count > MOST_ANSWERS,
        by_question=[
            Effect(name, fate, counts[name, fate]) for name in order for fate in MEANINGS if counts[name, fate]
        ],
        shown=[name for name in after if name not in before],
        hidden=[name for name in before if name not in after],
        suggestions=len(suggestions),
        unfit=sum(suggestions),
    )


def stale_count(project: Project, kind: Kind) -> int:
    """How many accepted items people have answered under a version that asked otherwise; at most COUNTED_AT_MOST + 1.

    kind: of the project, with its newest version or with one that is not saved. They stay valid and can be reopened.
    """
    versions = cast(Versions, kind.versions)  # type: ignore[attr-defined]
    changed = [version for version in range(1, versions.number) if versions.changed_since(version)]
    accepted = Item.objects.counted().filter(project=project, state=Item.State.ACCEPTED)
    return count_up_to(accepted.filter(base__authored=True, base__schema__in=changed)) if changed else 0


def _submitted(project: Project) -> Any:
    """Drafts of people and imports, submitted or brought as final; the newest first."""
    by_people = Q(author__isnull=False, submitted_at__isnull=False) | ~Q(rater="")
    rows = Annotation.objects.filter(by_people, item__project=project).order_by("-pk")
    return rows.values_list("draft", "schema")


def _unopened(project: Project) -> Any:
    """Of items that nobody has begun, the newest suggestion of a model."""
    suggestions = Annotation.objects.exclude(model="")
    begun = Annotation.objects.filter(item=OuterRef("item"), author__isnull=False)
    newer = suggestions.filter(item=OuterRef("item"), pk__gt=OuterRef("pk"))
    pending = suggestions.filter(item__project=project, item__state__in=[Item.State.IMPORTED, Item.State.READY])
    return pending.filter(~Exists(begun), ~Exists(newer)).order_by("-pk").values_list("draft", "schema")


def _is_unfit(before: Kind, after: Kind, draft: dict[str, Any], schema: int) -> bool:
    versions = cast(Versions, after.versions)  # type: ignore[attr-defined]
    fates = _fates(versions, before.upgrade(draft, schema), after.upgrade(draft, schema))
    return any(fate in ("invalid", "no_place") for _question, fate in fates)


def _fates(versions: Versions, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, Fate]]:
    """before, after: the answers under the version of today, and under the new one."""
    origins = versions.origins_before()
    for question in versions.newest.questions:
        fate = _fate(question, origins.get(question.name), before, after)
        if fate:
            yield question.name, fate
    for name in versions.retired:
        if before.get(name) not in BLANK and name not in origins.values():
            yield name, "retired"


def _fate(question: Question, origin: str | None, before: Mapping[str, Any], after: Mapping[str, Any]) -> Fate | None:
    if origin is None:
        return "new"
    answer_before = before.get(origin)
    if answer_before in BLANK:
        return None
    if question.name not in after:
        return "no_place"
    answer = after[question.name]
    if not question.fits(answer):
        return "invalid"
    return "kept" if answer == answer_before and origin == question.name else "mapped"
