"""What models do with items before anybody answers them: suggest, classify, make, recover. They are asked by `ask`."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotate.kinds.protocol import Ask, Prompts
from annotate.kinds.values import Classified, Made, Suggested


class Modelled:
    """The side of a kind that runs see. A kind without steps of a sort has no such run."""

    # A step is a prompt: annotate/kinds/<slug>/prompts/<step>.<language>.md.
    preannotation_steps: ClassVar[Sequence[str]] = ()
    classification_steps: ClassVar[Sequence[str]] = ()
    # The fields of a draft that hold the label by which items are classified, the coarsest first.
    label_fields: ClassVar[Sequence[str]] = ()

    # Whether models that draft read the project's guidelines, as `prompts.guidelines`.
    drafts_by_guidelines: ClassVar[bool] = False

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
