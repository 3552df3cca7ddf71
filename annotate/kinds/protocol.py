"""What purposes and kinds exchange with the engine: causes, questions, replies, and what candidates and judges see.

Pure: no model, no network.
"""

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models.enums import TextChoices
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel

if TYPE_CHECKING:
    from annotate.kinds.shapes import Finding


class Cause(TextChoices):
    """At most twenty; a fault that fits none of them is a defect of this program and called so."""

    RATE_LIMITED = "rate_limited", _("too many requests")
    SERVER_ERROR = "server_error", _("service error")
    TIMEOUT = "timeout", _("request timed out")
    CONNECTION = "connection", _("connection failed")
    UNAUTHORISED = "unauthorised", _("key refused")
    NO_KEY = "no_key", _("key not set")
    NOT_FOUND = "not_found", _("model or address not found")
    BAD_REQUEST = "bad_request", _("request refused")
    TOO_LONG = "too_long", _("longer than the model's context")
    NOT_THE_API = "not_the_api", _("not an API response")
    TRUNCATED = "truncated", _("reply cut off")
    FILTERED = "filtered", _("stopped by a content filter")
    REFUSED = "refused", _("refused by the model")
    EMPTY = "empty", _("empty reply")
    NOT_JSON = "not_json", _("no JSON in the reply")
    WRONG_SHAPE = "wrong_shape", _("JSON in the wrong shape")
    BUDGET = "budget", _("budget used up")
    CRASHED = "crashed", _("worker crashed on it")
    UNSUITABLE = "unsuitable", _("nothing to ask about this item")
    DEFECT = "defect", _("bug in Touchstone")


# Temporary causes: another attempt may succeed. Any other cause ends a step at once.
WORTH_ANOTHER_ATTEMPT = frozenset(
    {
        Cause.RATE_LIMITED,
        Cause.SERVER_ERROR,
        Cause.TIMEOUT,
        Cause.CONNECTION,
        Cause.NOT_THE_API,
        Cause.TRUNCATED,
        Cause.EMPTY,
        Cause.NOT_JSON,
        Cause.WRONG_SHAPE,
        Cause.REFUSED,
    }
)

# Permanent causes: every job fails until somebody fixes the endpoint, its key or its account (see engine/jobs.py).
OF_THE_ENDPOINT = frozenset({Cause.UNAUTHORISED, Cause.NO_KEY, Cause.NOT_FOUND})


# Questions and replies: what a purpose or a kind asks the engine, and what it gets back.


Message = Mapping[str, str]  # {"role": "system" | "user" | "assistant", "content": text}


@lru_cache(maxsize=512)
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an answer, cached because pydantic needs longer for it than for a whole reply.

    Own questions may have an answer for each item, so old ones are dropped.
    """
    return answer.model_json_schema()


_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


@lru_cache(maxsize=512)
def _answer_as_json(answer: type[BaseModel]) -> str:
    """The part of a digest that all questions with this answer share: it is longer than the rest."""
    return _SORTED({"name": answer.__name__, "schema": schema_of(answer)})


@dataclass(frozen=True)
class QuestionImage:
    """An image that a question shows. title: the text before it. name: of the stored file; it is never sent.

    sha256, type, size in bytes, pixels: of the stored file; "" and 0 until the engine has looked it up.
    """

    title: str
    name: str
    sha256: str = ""
    type: str = ""
    size: int = 0
    pixels: int = 0

    def as_json(self) -> dict[str, Any]:
        return {"title": self.title, "name": self.name, "sha256": self.sha256, "type": self.type, "bytes": self.size}


@dataclass(frozen=True)
class Question:
    """One request to a model.

    step: its place in the work on one job, a path such as `checklist` or `judge/3/swapped`; unique within the job.
    answer: the shape of the JSON wanted, or None for plain text. temperature, max_tokens: None leaves it to the
    service. parameters: other parameters by their names in the protocol, such as top_p. shared: whatever the
    temperature, the reply to an equal question of another job of the project at this endpoint may be used; within one
    job all equal questions then have one reply. images: follow the text of the last user message, in this order.
    """

    step: str
    messages: Sequence[Message]
    answer: type[BaseModel] | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    shared: bool = False
    images: Sequence[QuestionImage] = ()

    def body(self) -> dict[str, Any]:
        """The question without anything of the endpoint; the ledger keeps it, and `digest` is computed from it.

        Of images it has references, not the bytes.
        """
        body: dict[str, Any] = {"messages": [dict(message) for message in self.messages]}
        if self.images:
            body["images"] = [image.as_json() for image in self.images]
        if self.answer is not None:
            body["answer"] = {"name": self.answer.__name__, "schema": schema_of(self.answer)}
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.max_tokens is not None:
            body["max_tokens"] = self.max_tokens
        if self.parameters:
            body["parameters"] = dict(self.parameters)
        return body

    def digest(self, model: str) -> str:
        """sha256 over model and body as JSON with sorted names: equal questions have equal digests.

        An image counts by its title and content, whatever its file is called.
        """
        parts = {"model": model, **self.body()}
        if self.images:
            parts["images"] = [[image.title, image.sha256] for image in self.images]
        encoded = {name: _SORTED(value) for name, value in parts.items() if name != "answer"}
        if self.answer is not None:
            encoded["answer"] = _answer_as_json(self.answer)
        whole = ", ".join(f'"{name}": {encoded[name]}' for name in sorted(encoded))
        return hashlib.sha256(f"{{{whole}}}".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Reply:
    """A readable reply. read: an instance of the question's `answer`; None if that is None."""

    text: str
    read: Any = None
    model: str = ""
    replayed: bool = False

    @property
    def parts(self) -> dict[str, Any]:
        """What it says under each name of its shape; {} for plain text."""
        return self.read.model_dump(by_alias=True) if isinstance(self.read, BaseModel) else {}


class CallFailed(Exception):
    """A step got no readable reply in any of its attempts. said: the text of the last one, if it was a reply at all."""

    def __init__(self, cause: Cause, detail: str = "", said: str = "", *, step: str = "") -> None:
        super().__init__(f"{step}: {cause} {detail}".strip())
        self.cause, self.detail, self.said, self.step = cause, detail, said, step


class Ask(Protocol):
    """Asks one question and returns the reply. Raises CallFailed. Finished steps are replayed without a call."""

    def __call__(self, question: Question, /) -> Awaitable[Reply]: ...


@dataclass(frozen=True)
class Prompts:
    """The wordings that a run uses: (step, language) -> text, with the versions they come from.

    guidelines: the project's, for kinds whose models read them; else "". guideline_version: their version.
    takes_images: whether the endpoint does. Elsewhere models read the names of images inside transcripts.
    """

    texts: Mapping[tuple[str, str], str]
    versions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    guidelines: str = ""
    guideline_version: int | None = None
    parts: Mapping[tuple[str, str, str], str] = field(default_factory=dict)  # see lib/texts/prompt_texts.py
    takes_images: bool = False

    def text(self, step: str, language: str) -> str:
        """In this language, else in English."""
        return self.texts.get((step, language)) or self.texts[(step, "en")]


# Candidates and judges: what a candidate is asked, and what a judge may see of an item. The kind makes them from facts
# and final draft.


@dataclass(frozen=True)
class CandidatePrompt:
    """What a candidate gets: chat messages, the last one a user's. temperature: None leaves it to the service.

    group: the value by which temperatures are chosen, such as the task.
    """

    messages: Sequence[Message]
    temperature: float | None = 0.0
    group: str = ""


@dataclass(frozen=True)
class ChecklistQuestion:
    """One yes/no question of a checklist. weight: its share of the score, None where questions have none."""

    text: str
    weight: float | None = None


@dataclass(frozen=True)
class Standard:
    """One criterion that people have approved. levels: what each score from 1 on means; weight: None without one."""

    name: str
    description: str
    levels: Sequence[str] = ()
    weight: float | None = None


class OwnQuestions(Protocol):
    """The questions that a project asks about its items, as a judge is asked them.

    columns: what people see of an item, by name. Texts that a question compares stand under each other's names, by the
    number `deal`, as people get them on sides; the answers are given back for the names.
    """

    @property
    def names(self) -> Sequence[str]: ...

    def only(self, names: Sequence[str], *, deal: int = 0) -> "OwnQuestions":
        """These questions, and those that their conditions name; all of them if no name is given."""

    def question(self, columns: Mapping[str, Any], prompts: "Prompts", *, language: str, step: str) -> Question:
        """All questions in one request, with the shape of its reply."""

    def answers(
        self, columns: Mapping[str, Any], given: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Sequence["Finding"]]:
        """name -> answer that is asked and allowed, and why others are left out. given: what a reply says."""

    @property
    def has_criteria(self) -> bool:
        """Whether a question has criteria that can be asked one by one."""

    def calls_by_criterion(self, columns: Mapping[str, Any]) -> int:
        """How many calls `given_by_criterion` makes about an item; the most, if it depends on replies."""

    async def given_by_criterion(
        self, columns: Mapping[str, Any], prompts: "Prompts", ask: "Ask", *, language: str, step: str
    ) -> Mapping[str, Any]:
        """What a reply to all questions would say, with a call for each criterion and one for all else before them.

        What `ask` reads nothing of is left out. Raises CallFailed.
        """


@dataclass(frozen=True)
class JudgedItem:
    """What a judge may see of an item besides the answers, and the labels by which reports divide its scores.

    messages: the conversation up to the answer. rule: how met questions make a score: `weights` (sum of the weights of
    those met), `any` (1 if one is met), `all` (1 if every one is). scenario: the part of a published table in which the
    item counts; "" if there is only one. labels: division -> the item's values there, such as `task` -> ["Coding"]; an
    item counts in each of them. counted_as: the ability that a perturbation is counted under, if it is not the one that
    its prompt tests. criteria: those of the item itself, which a judge is shown only if it has to use them. questions:
    of a project whose judges answer its own questions about the item; None in others.
    """

    messages: Sequence[Message]
    checklist: Sequence[ChecklistQuestion] = ()
    rule: str = "weights"
    scenario: str = ""
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    criteria: Sequence[Standard] = ()
    counted_as: str = ""
    questions: OwnQuestions | None = None

    @property
    def sha256(self) -> str:
        """Digest of what every judge sees; it leaves out labels, the rule, the questions, which are part of a judge's
        identity, and the criteria, which only some judges use.
        """
        payload = [
            [dict(message) for message in self.messages],
            [[question.text, question.weight] for question in self.checklist],
        ]
        return hashlib.sha256(json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class AnswerPair:
    """A question with two answers that an item itself holds.

    group: the item's; label: what people prefer, `first`, `second` or `tie`; "" if nobody has said.
    """

    prompt: str
    authors: tuple[str, str]
    texts: tuple[str, str]
    group: str = ""
    label: str = ""


@dataclass(frozen=True)
class PreferredAnswer:
    """Which of two answers that an item itself holds people prefer: `first`, `second` or `tie`, with the authors'
    names.
    """

    first: str
    second: str
    label: str
