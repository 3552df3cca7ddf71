"""Parts of a kind: what mapping of columns uses, what judging uses (answers, votes), and what runs use (suggestions,
generation, bridging).
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

from django.utils.functional import Promise

from annotate.kinds.protocol import AnswerPair, Ask, CandidatePrompt, JudgedItem, OwnQuestions, PreferredAnswer, Prompts
from annotate.kinds.shapes import LenientOptions, Shape
from annotate.kinds.trees import JudgementTree, ScoredCriterion
from annotate.kinds.values import CutTranscript, GeneratedItem, ModelClassification, ModelSuggestion

MATERIAL = "material"  # the author of what an item shows, where judges read the item itself
# The three shapes of a kind: `class Rating(Kind[Sentence, Stars, StarOptions])`. `Kind` alone is any kind.
Facts = TypeVar("Facts", bound=Shape)
Draft = TypeVar("Draft", bound=Shape)
Options = TypeVar("Options", bound=LenientOptions)


class MappedKind(Generic[Options]):
    """The part of a kind that says how the columns of a file can become its fields."""

    fact_labels: ClassVar[Mapping[str, str | Promise]] = {}  # what people call each fact

    def listed_values(self, options: Options) -> Mapping[str, Sequence[str]]:
        """Field -> the texts that the project's options allow; of a field of several values, each of them.

        Which values fit together is for `problems` to say. Lists in a shape itself (Literal) need not be named.
        """
        return {}


class JudgedKind(Generic[Facts, Draft, Options]):
    """The part of a kind that judging uses: what candidates are asked, what judges see, what people say of answers."""

    judges_answers: ClassVar[bool] = False  # whether candidates answer its items and judges read the answers
    # Whether an item can come with the answers that it is about: judges then read them before anybody has decided
    # anything.
    brings_answers: ClassVar[bool] = False
    # Whether judges read an item itself and answer the project's own questions about it: what it shows is then its only
    # answer, by the author MATERIAL.
    judges_items: ClassVar[bool] = False

    @property
    def own_questions(self) -> OwnQuestions | None:
        """The project's own questions as a judge is asked them; a kind with judges_items has them."""
        return None

    holds_checklists: ClassVar[bool] = False  # whether judges answer questions that people have written
    perturbs: ClassVar[bool] = False  # whether an item holds a good answer and a deliberately worse one

    @property
    def can_be_judged(self) -> bool:
        """Whether judges read answers to its items, wherever the answers come from."""
        return self.judges_answers or self.brings_answers

    def asked(self, facts: Facts, draft: Draft, options: Options) -> CandidatePrompt:
        """What a candidate is asked about an item with this final draft."""
        raise NotImplementedError  # a kind that can be judged says it; the contract test calls it

    def judged(self, facts: Facts, draft: Draft, options: Options) -> JudgedItem:
        """What a judge may see of the item."""
        raise NotImplementedError  # a kind that can be judged says it; the contract test calls it

    def answers(self, facts: Facts, draft: Draft) -> Mapping[str, tuple[str, str]]:
        """Author -> (sort, text) of the answers that an item itself holds, such as `gold` and `perturbed`."""
        return {}

    holds_labels: ClassVar[bool] = False  # whether the facts may say which answer people prefer

    def preferred(self, facts: Facts) -> PreferredAnswer | None:
        """Which of the answers that the item holds people prefer; None if nobody has said."""
        return None

    # Whether an item is a question with two answers. Votes and verdicts from elsewhere can create such items, and count
    # before anybody has worked on them: judges see nothing that people write.
    holds_pairs: ClassVar[bool] = False

    def of_pair(self, pair: AnswerPair) -> dict[str, Any]:
        """The facts of an item that holds these answers."""
        raise NotImplementedError  # a kind with holds_pairs says it; the contract test calls it

    def as_pair(self, facts: Facts) -> AnswerPair | None:
        """The two answers that an item holds; None if it holds only one."""
        raise NotImplementedError  # a kind with holds_pairs says it; the contract test calls it

    # Whether its drafts are trees of judgements: criteria with scores and corrections, to train a judge with.
    holds_trees: ClassVar[bool] = False

    def scored_criteria(self, draft: Draft) -> Sequence[ScoredCriterion]:
        """The criteria of a draft with the scores by them, in its order; those that are not finished too."""
        return []

    def tree(self, facts: Facts, draft: Draft, options: Options) -> JudgementTree:
        """What people decided in this draft, for training data."""
        raise NotImplementedError  # a kind with holds_trees says it; the contract test calls it

    # --- votes about answers ----------------------------------------------------------------------------------------
    voted: ClassVar[str] = ""  # what people vote on: checklist, score or preference; "": it is no vote
    answers_shown: ClassVar[int] = 0  # how many answers one vote is about
    opinions: ClassVar[bool] = False  # people may disagree about an item, and nobody adjudicates

    def voter_guidelines(self) -> str:
        """The first guidelines, in Markdown, of a project for votes; leads can change them like any guidelines."""
        return ""

    def ballot(self, judged: JudgedItem, texts: Sequence[str]) -> dict[str, Any] | None:
        """Facts of a vote about these answers, without any hint at their authors; None if there is nothing to ask.

        judged: what a judge may see of the item that was answered. texts: the answers, as many as answers_shown.
        """
        return None

    def votes(self, facts: Facts, draft: Draft) -> Mapping[str, float | str | None]:
        """axis -> value of each vote in a draft, None if its author could not tell; missing votes are left out.

        Axes: the number of a question, from 1, met (1.0) or not (0.0); a criterion and its score, "" if a project has
        only one; "" and `first`, `second`, `tie` or `both_bad` for a pair, in the order of the facts.
        """
        return {}

    def dealt(self, facts: Facts, deal: int) -> Mapping[str, Any]:
        """Values that templates show to each person in a different order, such as the sides of a pair.

        deal: a number that is always the same for one person and item (annotate/items/slots.py). Drafts keep the order
        of the facts, so that only templates need to know who is looking.
        """
        return {}

    def cut_transcript(self, facts: Facts, deal: int, number: int) -> CutTranscript | None:
        """What the material cuts of the transcript that is its part `number` in this deal; None if nothing is cut."""
        return None


# What models do with items before candidates answer them: suggest, classify, create items, recover criteria. `ask` asks
# them.


class ModelledKind(Generic[Facts, Draft, Options]):
    """The part of a kind that runs use. A kind without steps for a sort of run has no such run."""

    # Each step is a prompt: annotate/kinds/<slug>/prompts/<step>.<language>.md.
    preannotation_steps: ClassVar[Sequence[str]] = ()
    classification_steps: ClassVar[Sequence[str]] = ()
    # The fields of a draft that hold the label by which items are classified, the coarsest first.
    label_fields: ClassVar[Sequence[str]] = ()

    # Whether models that draft read the project's guidelines, as `prompts.guidelines`.
    drafts_by_guidelines: ClassVar[bool] = False

    @property
    def one_by_one(self) -> Self | None:
        """This kind, asking models each question of an item in a call of its own when it drafts; None if it cannot."""
        return None

    def asks(self, step: str, facts: Facts) -> bool:
        """Whether this step is ever asked about such an item; a prompt is tried only on items for which it is."""
        return True

    def preannotation_calls(self, facts: Facts, options: Options) -> int:
        """How many questions `preannotate` asks without failures; the maximum, if it depends on replies."""
        return len(self.preannotation_steps)

    async def preannotate(
        self, facts: Facts, options: Options, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        """A suggestion for people. Every text goes into the prompt through lib/texts/fencing.py.

        language: of the item; prompts are in this language, else in English. If a reply breaks the taxonomies or the
        checks, that becomes a doubt, and the value is left out or kept unchanged; nothing is corrected silently. Raises
        CallFailed if a step gets no readable reply; the engine replays the steps before it.
        """
        raise NotImplementedError  # a kind with preannotation_steps says it; the contract test calls it

    async def classify(
        self, facts: Facts, options: Options, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelClassification:
        """What the item is, by the project's taxonomy. Raises CallFailed."""
        raise NotImplementedError  # a kind with classification_steps says it; the contract test calls it

    # --- gold answers, and items made of items ----------------------------------------------------------------------
    gold_steps: ClassVar[Sequence[str]] = ()  # prompts by which a model writes the gold answers that are missing

    def lacks_gold(self, facts: Facts) -> bool:
        """Whether such an item needs a gold answer."""
        return False

    async def answer_as_gold(
        self, facts: Facts, options: Options, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        """A gold answer for people to verify. Raises CallFailed."""
        raise NotImplementedError  # a kind with gold_steps says it

    child_kind: ClassVar[str] = ""  # of the items that a model makes of accepted ones; its prompts are used for that

    def to_make(self, facts: Facts, draft: Draft, options: Any) -> Sequence[str]:
        """The groups for which one child each can be made of an accepted item; options: of the children's project."""
        return []

    async def make(
        self, group: str, facts: Facts, draft: Draft, options: Any, prompts: Prompts, ask: Ask, *, language: str
    ) -> GeneratedItem:
        """One child of the item. options: of the children's project. Raises CallFailed."""
        raise NotImplementedError  # a kind with child_kind says it

    def groups_made(self, options: Options) -> Mapping[str, str]:
        """group -> name of everything that can be made of this kind, in order."""
        return {}

    def making_step(self, group: str, options: Options) -> str:
        """The prompt by which children of this kind and group are made; "" where it has none."""
        return ""

    def passes(self, facts: Facts, draft: Draft, options: Options) -> bool:
        """Whether people's verdict on a generated item is the one that its group was meant to get."""
        return False

    def wordings(self) -> Mapping[tuple[str, str], str]:
        """(step, language) -> shipped prompts that are not in files, because they are composed of data."""
        return {}

    # --- judgements that do not say by which criteria ---------------------------------------------------------------
    bridging_steps: ClassVar[Sequence[str]] = ()  # prompts by which criteria are recovered from such a judgement

    def set_aside(self, facts: Facts) -> str:
        """Why no criteria are recovered from an item: `nothing`, `orders`, `reference`; "" if they are.

        nothing: it holds no judgement of others; orders: the judge gave another verdict when it saw the responses in
        the other order; reference: it was shown a trusted answer, without which its judgement cannot be understood.
        """
        return "nothing"

    def bridging_calls(self, facts: Facts, options: Options) -> int:
        """How many questions `bridge` asks without failures; the maximum, if it depends on replies."""
        return len(self.bridging_steps)

    async def bridge(
        self, facts: Facts, options: Options, prompts: Prompts, ask: Ask, *, language: str
    ) -> ModelSuggestion:
        """Criteria with guidelines by which the item's judgement was made, as far as can be told. Raises CallFailed."""
        raise NotImplementedError  # a kind with bridging_steps says it

    def as_judgement(self, facts: Facts, draft: Draft, options: Options) -> Mapping[str, Any] | None:
        """What people have said about a response in an accepted item, as facts of the kind `branching`.

        It names nobody. None if nobody judged a response there.
        """
        return None
