"""Own questions: a project's definition says what people look at and what they are asked."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.contract import ASIDE, METADATA, KeepImage, Kind
from annotate.kinds.form.chat import cut_turns
from annotate.kinds.form.material import (
    column_faults,
    example_columns,
    file_names,
    first_said,
    is_text,
    permutation,
    shown_parts,
    with_clean_names,
)
from annotate.kinds.form.preannotation import (
    STEP,
    FormQuestions,
    as_json,
    preannotated,
    preannotated_one_by_one,
)
from annotate.kinds.form.row_schema import row_schema
from annotate.kinds.mixins import MATERIAL
from annotate.kinds.protocol import Ask, CandidatePrompt, JudgedItem, Prompts
from annotate.kinds.questions.base import Question
from annotate.kinds.questions.definition import NAMES_FILES, Definition
from annotate.kinds.questions.definition_texts import one_line
from annotate.kinds.questions.scores import Score
from annotate.kinds.questions.transcripts import images_in, with_files
from annotate.kinds.questions.types.choice import Choice
from annotate.kinds.questions.types.choices import Choices
from annotate.kinds.questions.types.pair import Pair
from annotate.kinds.questions.versions import Versions
from annotate.kinds.shapes import Finding, LenientOptions, Shape
from annotate.kinds.values import BLANK, BadShape, CutTranscript, Field, ModelSuggestion, NamedFile, Native
from lib.texts.stored_sentences import say as _

ROWS = "rows:"  # before the buttons of a question that is edited row by row
_numbers = count(1)  # of the kinds that were made in this process
FIRST_DEFINITION = Path(__file__).with_name("default.yaml").read_text(encoding="utf-8")


class FormFacts(Shape):
    """The shown columns of an item, by their names."""

    columns: dict[str, Any]

    def stored(self) -> dict[str, Any]:
        return dict(self.columns)


class FormDraft(Shape):
    """The answers, by the names of their questions. An answer that is missing or blank was not given."""

    answers: dict[str, Any]

    def stored(self) -> dict[str, Any]:
        return dict(self.answers)


class Form(Kind[FormFacts, FormDraft, LenientOptions]):
    """Ask your own questions about your own columns: choices, ratings, pairs, rankings, rubrics, texts, numbers.

    Facts: the columns that the project's definition shows. Draft: an answer to each of its questions. All other columns
    of a file are metadata, which only leads see. docs/forms.md describes definitions.
    """

    slug = "form"
    name = gettext_lazy("Own questions")
    about = gettext_lazy("Your own columns and your own questions: choices, ratings, pairs, rankings, texts, numbers.")
    facts, draft, options = FormFacts, FormDraft, LenientOptions
    defined = True

    def __init__(self, versions: Versions, *, asks_one_by_one: bool = False) -> None:
        self.versions = versions
        self.asks_one_by_one = asks_one_by_one
        self.definition = versions.newest
        self.schema = versions.number
        self.number = next(_numbers)

    @property
    def first_definition(self) -> str:
        return FIRST_DEFINITION

    def by_definition(self, texts: Sequence[str]) -> "Form":
        return _by_definition(tuple(texts))

    def example_facts(self) -> dict[str, Any]:
        return example_columns(self.definition)

    # --- shapes -------------------------------------------------------------------------------------------------------
    @property
    def fact_names(self) -> Sequence[str]:
        return self.definition.columns

    @property
    def needed_facts(self) -> Sequence[str]:
        return [name for name in self.definition.columns if name not in self.definition.optional_columns]

    @property
    def names_files(self) -> bool:
        return bool(self._ever_shown_as(*NAMES_FILES, "chat"))

    def named_files(self, columns: Mapping[str, Any]) -> Iterator[NamedFile]:
        """By all versions of the definition: a column that is no longer shown keeps its files."""
        for column in self._ever_shown_as(*NAMES_FILES):
            if isinstance(name := columns.get(column), str):
                yield NamedFile(column, name, column in self.image_columns)
        for column in self._ever_shown_as("chat"):
            for image in images_in(columns.get(column)):
                yield NamedFile(column + image.place, image.file, True)

    def with_files(self, facts: FormFacts, keep: KeepImage) -> FormFacts:
        """Only of transcripts: their messages hold images as data; every other column has a name."""
        columns, findings = dict(facts.columns), list[Finding]()
        for name in self.definition.chat_columns:
            if name in columns:
                columns[name], faults = with_files(columns[name], keep)
                findings += [Finding(name + place, message) for place, message in faults]
        if findings:
            raise BadShape(findings)
        return FormFacts(columns=columns)

    def _ever_shown_as(self, *ways: str) -> list[str]:
        versions = reversed(self.versions.definitions)
        return list(dict.fromkeys(name for definition in versions for name in definition.columns_shown_as(*ways)))

    @property
    def image_columns(self) -> Sequence[str]:
        return self.definition.columns_shown_as("image")

    @property
    def transcript_columns(self) -> Sequence[str]:
        return self.definition.chat_columns

    @property
    def draft_names(self) -> Sequence[str]:
        return [*self.definition.by_name, *self.versions.retired]

    @property
    def fact_labels(self) -> Mapping[str, str]:  # type: ignore[override]  # of the project's definition
        return {part.field: part.heading() for part in self.definition.show}

    def listed_values(self, options: LenientOptions) -> Mapping[str, Sequence[str]]:
        questions = self.definition.by_name.items()
        return {name: [option.value for option in ask.options] for name, ask in questions if isinstance(ask, Choices)}

    def type_of(self, name: str) -> Any:
        question = self.definition.by_name.get(name)
        if isinstance(question, Choice):
            return Literal[tuple(question.values)]
        if isinstance(question, Pair):
            return Literal[tuple(value for value, *_names in question.answers)]
        if question is None and name in self.definition.columns:
            return str if is_text(self.definition, name) else object
        return {"text": str, "choices": list[str]}.get(question.how if question else "", object)

    def is_optional(self, name: str) -> bool:
        return True

    def read_facts(self, value: Mapping[str, Any]) -> FormFacts:
        findings = [Finding(path, message) for path, message in column_faults(self.definition, value)]
        if findings:
            raise BadShape(findings)
        columns = {name: value[name] for name in self.definition.columns if name in value}
        return FormFacts(columns=with_clean_names(self.definition, columns))

    def read_draft(self, value: Mapping[str, Any]) -> FormDraft:
        findings = list(self._shape_faults(value))
        if findings:
            raise BadShape(findings)
        return FormDraft(answers={name: self._in_order(name, answer) for name, answer in value.items()})

    def _in_order(self, name: str, answer: Any) -> Any:
        question = self.definition.by_name.get(name)
        return question.in_order(answer) if question else answer

    def _shape_faults(self, answers: Mapping[str, Any]) -> Iterator[Finding]:
        for name, answer in answers.items():
            question = self.definition.by_name.get(name) or self.versions.retired.get(name)
            if question is None:
                yield Finding(str(name)[:60], _("is not a question of this project; correct its name."))
            elif name in self.definition.by_name:
                yield from (Finding(name + part, message) for part, message in question.placed_shape_faults(answer))

    def upgrade(self, stored: dict[str, Any], schema: int) -> dict[str, Any]:
        """Columns have no versions: one that shares its name with a question is no answer."""
        columns = {name: stored[name] for name in self.definition.shared_names & stored.keys()}
        questions = self.definition.by_name
        columns_kept = {name: value for name, value in columns.items() if questions[name].apart(value)[0] is not None}
        return {**self.versions.upgraded(stored, schema), **columns_kept}

    # --- files --------------------------------------------------------------------------------------------------------
    def read_row(self, row: Mapping[str, Any]) -> Native:
        """What is neither shown nor a question is metadata."""
        facts, answers = self._apart(row)
        columns, questions = set(self.definition.columns), set(self.draft_names)
        rest = {name: value for name, value in row.items() if name not in columns | questions | ASIDE}
        own = row.get(METADATA)
        return Native(
            facts={name: value for name, value in facts.items() if name in columns and value is not None},
            draft={name: self._typed(name, value) for name, value in answers.items() if name in questions} or None,
            suggestion=row.get("suggestion"),
            final=row.get("final"),
            key=row.get("key"),
            metadata={**rest, **own} if isinstance(own, Mapping) else own or rest,
        )

    def _apart(self, row: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The row as facts and as answers; a name that a question shares with its column stands for both."""
        facts, answers = dict(row), dict(row)
        for name in self.definition.shared_names & row.keys():
            facts[name], answers[name] = self.definition.by_name[name].apart(row[name])
            if answers[name] is None:
                del answers[name]
        return facts, answers

    def _typed(self, name: str, value: Any) -> Any:
        question = self.definition.by_name.get(name)
        return question.typed(value) if question else value

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        """Answers to questions that were not asked are left out: nobody has meant them to count."""
        counted = self.counted(draft)
        for name in self.definition.shared_names & counted.keys() & facts.keys():
            counted[name] = self.definition.by_name[name].joined(facts[name], counted[name])
        return {**facts, **counted}

    def counted(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """The answers that count: without those to questions that were not asked."""
        names_asked = {question.name for question in self.definition.asked(draft)}
        return {name: answer for name, answer in draft.items() if name in names_asked or name in self.versions.retired}

    # --- what an item is called ---------------------------------------------------------------------------------------
    def title(self, facts: FormFacts) -> str:
        names = file_names(self.definition, facts.columns)
        return one_line(self.reading_text(facts)) or next(iter(names), "…")

    def reading_text(self, facts: FormFacts) -> str:
        return next(iter(self.texts(facts).values()), "") or first_said(self.definition, facts.columns)

    def texts(self, facts: FormFacts) -> Mapping[str, str]:
        texts = ((name, facts.columns.get(name)) for name in self.definition.columns if is_text(self.definition, name))
        return {name: str(value) for name, value in texts if value not in BLANK}

    # --- drafts -------------------------------------------------------------------------------------------------------
    def empty_draft(self, facts: FormFacts) -> dict[str, Any]:
        return {question.name: question.empty(facts.columns) for question in self.definition.questions}

    def fields(self, facts: FormFacts) -> Sequence[Field]:
        return self._fields

    @cached_property
    def _fields(self) -> list[Field]:
        return [question.as_field() for question in self.definition.questions]

    def problems(self, facts: FormFacts, draft: FormDraft, options: LenientOptions) -> list[Finding]:
        return [
            Finding(question.name + part, message, "blank" if question.is_blank(answer) else "check")
            for question in self.definition.asked(draft.answers)
            for answer in [draft.answers.get(question.name)]
            for part, message in question.placed_problems(answer, facts.columns)
        ]

    def disagreements(self, facts: FormFacts, drafts: Sequence[Mapping[str, Any]]) -> list[str]:
        return super().disagreements(facts, [self.counted(draft) for draft in drafts])

    def shown(self, name: str, value: Any) -> str:
        question = self.definition.by_name.get(name) or self.versions.retired.get(name)
        if question is None or any(question.shape_faults(value)):
            return super().shown(name, value)
        return question.shown_compared(value, self.definition.compared_as)

    # --- form ---------------------------------------------------------------------------------------------------------
    def read_form(self, data: QueryDict, facts: FormFacts) -> dict[str, Any]:
        return {question.name: question.read_about(data, facts.columns) for question in self.definition.questions}

    def edited(self, draft: dict[str, Any], action: str, facts: FormFacts) -> dict[str, Any]:
        """action: `rows:`, the name of a question, a colon and what is done with its rows."""
        name, _colon, verb = action.removeprefix(ROWS).rpartition(":")
        question = self.definition.by_name.get(name) if action.startswith(ROWS) else None
        return {**draft, name: question.edited(draft.get(name), verb)} if question else draft

    def form_context(self, facts: FormFacts, draft: Mapping[str, Any], options: LenientOptions) -> dict[str, Any]:
        """questions: what each template in templates/questions/ needs, in order; key: unlike that of any other."""
        names_asked = {question.name for question in self.definition.asked(draft)}
        return {
            "questions": [
                {
                    "question": question,
                    "key": (self.number, question.name),
                    "control": question.control.name,
                    "asked": question.name in names_asked,
                    "when": [condition.as_json() for condition in question.conditions],
                    **question.form_context(facts.columns),
                }
                for question in self.definition.questions
            ]
        }

    def dealt(self, facts: FormFacts, deal: int) -> Mapping[str, Any]:
        """parts: the material in this person's order; sides: letter -> column of those that questions compare."""
        order = permutation(self.definition.dealt, deal)
        return {"parts": shown_parts(self.definition, facts.columns, order), "order": order}

    def cut_transcript(self, facts: FormFacts, deal: int, number: int) -> CutTranscript | None:
        parts = shown_parts(self.definition, facts.columns, permutation(self.definition.dealt, deal))
        part = next((part for part in parts if part.number == number), None)
        turns = cut_turns(facts.columns[part.column], part.turns) if part and part.turns else []
        return CutTranscript(part.letter or part.heading, turns) if part and turns else None

    # --- models -------------------------------------------------------------------------------------------------------
    preannotation_steps = (STEP,)
    drafts_by_guidelines = True

    @cached_property
    def one_by_one(self) -> "Form | None":
        return Form(self.versions, asks_one_by_one=True) if len(self.definition.questions) > 1 else None

    def preannotation_calls(self, facts: FormFacts, options: LenientOptions) -> int:
        return len(self.definition.questions) if self.asks_one_by_one else len(self.preannotation_steps)

    async def preannotate(
        self, facts: FormFacts, options: LenientOptions, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        suggested = preannotated_one_by_one if self.asks_one_by_one else preannotated
        return await suggested(self.own_questions, facts.columns, prompts, ask, language=language)

    # --- judges: the item itself is what they read --------------------------------------------------------------------
    judges_items = brings_answers = True

    @property
    def own_questions(self) -> FormQuestions:
        return FormQuestions(self.definition)

    def asked(self, facts: FormFacts, draft: FormDraft, options: LenientOptions) -> CandidatePrompt:
        """Nobody is asked it; it is what makes two items different for judges."""
        return CandidatePrompt([{"role": "user", "content": as_json(self.definition, facts.columns)}])

    def judged(self, facts: FormFacts, draft: FormDraft, options: LenientOptions) -> JudgedItem:
        return JudgedItem(self.asked(facts, draft, options).messages, questions=self.own_questions)

    def answers(self, facts: FormFacts, draft: FormDraft) -> Mapping[str, tuple[str, str]]:
        return {MATERIAL: ("person", as_json(self.definition, facts.columns))}

    # --- comparisons --------------------------------------------------------------------------------------------------
    def own_definition(self) -> Definition | None:
        return self.definition

    def questions(self) -> Mapping[str, Question]:
        return self.definition.by_name

    def row_schema(self, *, per_rater: bool = False, decided: bool = True) -> dict[str, Any] | None:
        return row_schema(self.versions, per_rater=per_rater, decided=decided)

    def scores(self) -> Mapping[str, Score]:
        return self.definition.scores

    @property
    def unit_column(self) -> str:
        return self.definition.unit or ""


@lru_cache(maxsize=256)
def _by_definition(texts: tuple[str, ...]) -> Form:
    return Form(Versions.read(texts))


KIND = _by_definition((FIRST_DEFINITION,))
