"""What a kind of work has to say. One subclass a folder; see docs/kinds.md for a walk-through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from django.http import QueryDict
from django.utils.functional import Promise
from pydantic import ValidationError

from annotate.kinds.agreeing import agree_in, label_in
from annotate.kinds.judged import Asked, Judged, Pair, Preferred
from annotate.kinds.reported import Reported, erased
from annotate.kinds.shapes import Finding, LenientOptions, Shape, faults
from annotate.llm.asking import Ask, Prompts


class BadShape(ValueError):
    """Facts or a draft that do not have the kind's shape; `findings` says where and why."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = list(findings)
        super().__init__("; ".join(f"{found.path} {found.message}" for found in self.findings))


@dataclass(frozen=True)
class Field:
    """One field of a draft, as forms, differences, comments, history and exports see it.

    how: text (differences by word), choice (one value), choices (a list of values), checklist, flag.
    free: people may write it differently and still agree about the item.
    """

    name: str
    label: str | Promise
    how: str
    language_matters: bool = False
    free: bool = False


@dataclass(frozen=True)
class Native:
    """One row of a file, read: what becomes facts, what a draft, and what was said about where it comes from.

    A part that the row lacks is None. `draft` holds the draft fields at the row's top level.
    """

    facts: dict[str, Any]
    draft: dict[str, Any] | None = None
    suggestion: dict[str, Any] | None = None
    final: dict[str, Any] | None = None
    key: str | None = None
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class Candidate:
    """One of several values for some fields of a draft, from which a person picks. label: the sort that it is of."""

    label: str
    draft: dict[str, Any]


@dataclass(frozen=True)
class Suggested:
    """What a model made of an item: a whole draft, what to look at first, and what there is to pick from.

    The fields of a candidate are empty in the draft: nobody has chosen yet. reasons: why, in the model's words.
    """

    draft: dict[str, Any]
    doubts: list[Finding] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    reasons: str = ""


@dataclass(frozen=True)
class Made:
    """An item that a model made of another one: its facts, and the draft that people look at."""

    facts: dict[str, Any]
    draft: dict[str, Any]
    explanation: str = ""


@dataclass(frozen=True)
class Classified:
    """What a model takes an item for. label: its parts, such as task and subtask; listed: the taxonomy has it."""

    label: tuple[str, ...]
    listed: bool


@dataclass(frozen=True)
class Wanted:
    """How many accepted items of one group a project wants whose `field` has this `value`.

    part: what the group stands under, such as an ability.
    """

    group: str
    name: str
    part: str
    field: str
    value: str
    count: int


class Kind:
    """A kind of work: shapes of facts and drafts, checks, form, pages and export.

    Facts are frozen at import; a draft is what people write. Both are pydantic shapes, strict, and every write
    goes through `read_facts` and `read_draft`. Methods are pure: no database, no network.
    """

    slug: ClassVar[str]
    name: ClassVar[str | Promise]
    about: ClassVar[str | Promise]
    facts: ClassVar[type[Shape]]
    draft: ClassVar[type[Shape]]
    options: ClassVar[type[LenientOptions]] = LenientOptions
    schema: ClassVar[int] = 1

    # --- shapes ---------------------------------------------------------------------------------------------------
    def read_facts(self, value: Mapping[str, Any]) -> Any:
        """Facts as their shape. Raises BadShape."""
        return self._read(self.facts, value)

    def read_draft(self, value: Mapping[str, Any]) -> Any:
        """A draft as its shape. Raises BadShape."""
        return self._read(self.draft, value)

    @staticmethod
    def _read(shape: type[Shape], value: Mapping[str, Any]) -> Shape:
        try:
            return shape.model_validate(value)
        except ValidationError as error:
            raise BadShape(list(faults(error))) from error

    def upgrade(self, stored: dict[str, Any], schema: int) -> dict[str, Any]:
        """Stored facts or draft of an older schema number in today's shape. Pure; the default changes nothing."""
        return stored

    # --- what an item is called and where it belongs --------------------------------------------------------------
    def title(self, facts: Any) -> str:
        """One line that people recognise the item by, at most 160 characters."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def group(self, facts: Any, draft: Any | None) -> str:
        """The task, category or intent by which work is assigned and reported; empty where there is none."""
        return ""

    def groups(self, options: Any) -> Sequence[str]:
        """The groups that items can have by the project's options; empty where only the items themselves say it."""
        return []

    def reading_text(self, facts: Any) -> str:
        """The text whose language is the item's language."""
        return self.title(facts)

    def texts(self, facts: Any) -> Mapping[str, str]:
        """path -> text of every fact in which personal data could stand."""
        return {"": self.reading_text(facts)}

    # --- checks ---------------------------------------------------------------------------------------------------
    def empty_draft(self, facts: Any) -> dict[str, Any]:
        """What the form shows when nobody has suggested anything."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def fields(self, facts: Any) -> Sequence[Field]:
        """The draft's fields in the order of the form."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def problems(self, facts: Any, draft: Any, options: Any) -> list[Finding]:
        """What stops a draft from being submitted or accepted."""
        return []

    def doubts(self, facts: Any, draft: Any, options: Any) -> list[Finding]:
        """What a person should look at first; never stops anything."""
        return []

    def unsuitable(self, draft: Any) -> bool:
        """The draft says that the item does not belong into the dataset."""
        return False

    def disagreements(self, facts: Any, drafts: Sequence[Mapping[str, Any]]) -> list[str]:
        """The names of the fields about which people who wrote these drafts disagree, in the order of the form.

        None are left where one draft may stand for all: for fields that are free, any text does.
        """
        judged = [one for one in self.fields(facts) if not one.free]
        return [one.name for one in judged if not agree_in(one, drafts)]

    def label(self, field: Field, draft: Mapping[str, Any]) -> str | None:
        """What a draft says in a field of choice, so that people can be compared; None where it says nothing."""
        return label_in(field, draft)

    def passed_on(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """What the next person starts from where somebody changed the text for others to look at (`revised`)."""
        return dict(draft)

    def revised(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Whether whoever was to validate a draft has changed what is validated, so that somebody else has to look."""
        return False

    def wanted(self, options: Any) -> Sequence[Wanted]:
        """What an overview counts towards; nothing where the project has no such goal."""
        return []

    def parent_key(self, facts: Any) -> str:
        """The key of the item, in the project's source, that this one is made from; empty where it does not say."""
        return ""

    # --- form -----------------------------------------------------------------------------------------------------
    def read_form(self, data: QueryDict, facts: Any) -> dict[str, Any]:
        """The draft as posted by the form, not yet checked. Never raises: what cannot be read stays as typed text."""
        raise NotImplementedError  # every kind says it; the contract test calls it

    def edited(self, draft: dict[str, Any], action: str, facts: Any) -> dict[str, Any]:
        """The draft after one of the form's own buttons, such as `add-row`; an unknown action changes nothing."""
        return draft

    def form_context(self, facts: Any, draft: Mapping[str, Any], options: Any) -> dict[str, Any]:
        """What the form template needs besides facts, draft, suggestion, findings."""
        return {}

    def shown(self, name: str, value: Any) -> str:
        """A field's value as text, for differences, history and review."""
        if value is None:
            return ""
        return "\n".join(map(str, value)) if isinstance(value, list) else str(value)

    live_template: ClassVar[str] = ""  # a part of the material that changes with what is typed; its elements: data-live

    @property
    def material_template(self) -> str:
        return f"{self.slug}/material.html"

    @property
    def form_template(self) -> str:
        return f"{self.slug}/form.html"

    # --- what models do -------------------------------------------------------------------------------------------
    # A step is a prompt: annotate/kinds/<slug>/prompts/<step>.<language>.md. No steps: there is no such run.
    preannotation_steps: ClassVar[Sequence[str]] = ()
    classification_steps: ClassVar[Sequence[str]] = ()
    # The fields of a draft that hold the label by which items are classified, the coarsest first.
    label_fields: ClassVar[Sequence[str]] = ()

    def asks(self, step: str, facts: Any) -> bool:
        """Whether this step is ever asked about such an item; a prompt is tried on those about which it is."""
        return True

    def preannotation_calls(self, facts: Any, options: Any) -> int:
        """How many questions `preannotate` puts when nothing fails; the most, where replies decide about it."""
        return len(self.preannotation_steps)

    async def preannotate(self, facts: Any, options: Any, prompts: Prompts, ask: Ask, *, language: str) -> Suggested:
        """A suggestion for people. Every text goes into the prompt through texts/fencing.py.

        language: of the item; prompts are taken in it, else in English. What a reply says against the taxonomies or
        the checks becomes a doubt and stays out of the draft, or in it as it is; nothing is mended silently.
        Raises CallFailed where a step stays without a readable reply; the engine replays the steps before it.
        """
        raise NotImplementedError  # a kind with preannotation_steps says it; the contract test calls it

    async def classify(self, facts: Any, options: Any, prompts: Prompts, ask: Ask, *, language: str) -> Classified:
        """What the item is, by the project's taxonomy. Raises CallFailed."""
        raise NotImplementedError  # a kind with classification_steps says it; the contract test calls it

    # --- gold answers, and items made of items ----------------------------------------------------------------------
    gold_steps: ClassVar[Sequence[str]] = ()  # prompts by which a model writes the gold answers that are missing

    def lacks_gold(self, facts: Any) -> bool:
        """Whether a gold answer is to be written for such an item."""
        return False

    async def answer_as_gold(self, facts: Any, options: Any, prompts: Prompts, ask: Ask, *, language: str) -> Suggested:
        """A gold answer for people to verify. Raises CallFailed."""
        raise NotImplementedError  # a kind with gold_steps says it

    child_kind: ClassVar[str] = ""  # of the items that a model makes of accepted ones; its prompts are used for that

    def to_make(self, facts: Any, draft: Any, options: Any) -> Sequence[str]:
        """The groups of which one child each can be made of an accepted item; options: of the children's project."""
        return []

    async def make(
        self, group: str, facts: Any, draft: Any, options: Any, prompts: Prompts, ask: Ask, *, language: str
    ) -> Made:
        """One child of the item. options: of the children's project. Raises CallFailed."""
        raise NotImplementedError  # a kind with child_kind says it

    def groups_made(self, options: Any) -> Mapping[str, str]:
        """group -> name of all that can be made of this kind, in their order."""
        return {}

    def making_step(self, group: str, options: Any) -> str:
        """The prompt by which children of this kind and group are made; "" where it has none."""
        return ""

    def passes(self, facts: Any, draft: Any, options: Any) -> bool:
        """Whether what people say of a made item is what its group was to give."""
        return False

    def wordings(self) -> Mapping[tuple[str, str], str]:
        """(step, language) -> shipped prompts that stand in no file, because they are composed of data."""
        return {}

    # --- judgements that do not say by which criteria ---------------------------------------------------------------
    bridging_steps: ClassVar[Sequence[str]] = ()  # prompts by which criteria are recovered from such a judgement

    def set_aside(self, facts: Any) -> str:
        """Why no criteria are recovered from an item: `nothing`, `orders`, `reference`; "" where they are.

        nothing: it holds no judgement of others; orders: the judge said another thing when it saw the responses in
        the other order; reference: it was shown a trusted answer, without which its judgement cannot be understood.
        """
        return "nothing"

    def bridging_calls(self, facts: Any, options: Any) -> int:
        """How many questions `bridge` puts when nothing fails; the most, where replies decide about it."""
        return len(self.bridging_steps)

    async def bridge(self, facts: Any, options: Any, prompts: Prompts, ask: Ask, *, language: str) -> Suggested:
        """Criteria with guidelines that the item's judgement was made by, as far as can be told. Raises CallFailed."""
        raise NotImplementedError  # a kind with bridging_steps says it

    def as_judgement(self, facts: Any, draft: Any, options: Any) -> Mapping[str, Any] | None:
        """What people have said about a response in an accepted item, as facts of the kind `branching`.

        Without a word of who they are. None where nobody judged a response there.
        """
        return None

    # --- candidates and judges ------------------------------------------------------------------------------------
    judges_answers: ClassVar[bool] = False  # whether candidates answer its items and judges read the answers
    holds_checklists: ClassVar[bool] = False  # whether judges go through questions that people have written
    perturbs: ClassVar[bool] = False  # whether an item holds a good answer and one that was made worse on purpose

    def asked(self, facts: Any, draft: Any, options: Any) -> Asked:
        """What a candidate is asked about an item with this final draft."""
        raise NotImplementedError  # a kind with judges_answers says it; the contract test calls it

    def judged(self, facts: Any, draft: Any, options: Any) -> Judged:
        """What a judge may see of it."""
        raise NotImplementedError  # a kind with judges_answers says it; the contract test calls it

    def answers(self, facts: Any, draft: Any) -> Mapping[str, tuple[str, str]]:
        """Author -> (sort, text) of the answers that an item itself holds, such as `gold` and `perturbed`."""
        return {}

    holds_labels: ClassVar[bool] = False  # whether an item may say itself which of its answers people prefer

    def preferred(self, facts: Any) -> Preferred | None:
        """Which of the answers that the item holds people prefer; None where nobody has said."""
        return None

    # Whether an item is a question with two answers. Votes and verdicts of others can make such items, and count before
    # anybody has worked on them: judges see nothing that people write.
    holds_pairs: ClassVar[bool] = False

    def of_pair(self, pair: Pair) -> dict[str, Any]:
        """The facts of an item that holds these answers."""
        raise NotImplementedError  # a kind with holds_pairs says it; the contract test calls it

    def as_pair(self, facts: Any) -> Pair | None:
        """The two answers that an item holds; None where it holds only one."""
        raise NotImplementedError  # a kind with holds_pairs says it; the contract test calls it

    # --- votes about answers ----------------------------------------------------------------------------------------
    voted: ClassVar[str] = ""  # what people say in it of answers: checklist, score or preference; "": it is no vote
    answers_shown: ClassVar[int] = 0  # how many answers one vote is about
    opinions: ClassVar[bool] = False  # people may differ about an item, and nobody is asked to decide between them

    def ballot(self, judged: Judged, texts: Sequence[str]) -> dict[str, Any] | None:
        """Facts of a vote about these answers, without a word of who wrote them; None where there is nothing to ask.

        judged: what a judge may see of the item that was answered. texts: the answers, as many as answers_shown.
        """
        return None

    def votes(self, facts: Any, draft: Any) -> Mapping[str, float | str | None]:
        """axis -> value of what a draft says, None where its writer could not tell; what is not said is left out.

        Axes: the number of a question, from 1, met (1.0) or not (0.0); a criterion and its score, "" where a project
        has only one; "" and `first`, `second`, `tie` or `both_bad` for a pair, in the order of the facts.
        """
        return {}

    def dealt(self, facts: Any, deal: int) -> Mapping[str, Any]:
        """What templates show in another order to each person, such as the sides of a pair.

        deal: a number that is always the same for one person and item (services/dealing.py). Drafts keep the order of
        the facts, so that only templates need to know who looks.
        """
        return {}

    # --- cases that the public reports --------------------------------------------------------------------------------
    takes_reports: ClassVar[bool] = False  # whether a survey of the public can make items of it
    wordless: ClassVar[Sequence[str]] = ()  # facts that hold no words of people, such as a category or a number

    def reported(self, case: Reported) -> dict[str, Any]:
        """The facts of an item made of a reported case."""
        raise NotImplementedError  # a kind with takes_reports says it; the contract test calls it

    def erased(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Stored facts without a word of what they said, still in their shape: of a case that was withdrawn."""
        return erased(self.facts, stored, names=self.wordless)

    # --- files ----------------------------------------------------------------------------------------------------
    def read_row(self, row: Mapping[str, Any]) -> Native:
        """One row of a native file taken apart; shapes are not checked yet."""
        known_facts, known_draft = self.facts.model_fields, self.draft.model_fields
        aside = {"key", "suggestion", "final", "provenance"}
        draft = {name: value for name, value in row.items() if name in known_draft}
        rest = {name: value for name, value in row.items() if name not in known_draft and name not in aside}
        return Native(
            facts={name: value for name, value in rest.items() if name in known_facts or name not in aside},
            draft=draft or None,
            suggestion=row.get("suggestion"),
            final=row.get("final"),
            key=row.get("key"),
        )

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        """The exported row: published field names at top level, values as stored; absent stays absent."""
        return {**facts, **draft}
