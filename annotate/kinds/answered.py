"""What candidates are asked about an item, what judges may see of it, and what people say of answers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from annotate.kinds.judged import Asked, Judged, Pair, Preferred


class Answered:
    """The side of a kind that judging sees."""

    judges_answers: ClassVar[bool] = False  # whether candidates answer its items and judges read the answers
    # Whether an item can come with the answers that it is about: judges read those before anybody has decided anything.
    brings_answers: ClassVar[bool] = False
    holds_checklists: ClassVar[bool] = False  # whether judges go through questions that people have written
    perturbs: ClassVar[bool] = False  # whether an item holds a good answer and one that was made worse on purpose

    @property
    def can_be_judged(self) -> bool:
        """Whether judges read answers to its items, wherever these come from."""
        return self.judges_answers or self.brings_answers

    def asked(self, facts: Any, draft: Any, options: Any) -> Asked:
        """What a candidate is asked about an item with this final draft."""
        raise NotImplementedError  # a kind that can be judged says it; the contract test calls it

    def judged(self, facts: Any, draft: Any, options: Any) -> Judged:
        """What a judge may see of it."""
        raise NotImplementedError  # a kind that can be judged says it; the contract test calls it

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

    def voter_guidelines(self) -> str:
        """Markdown that a project begins with into which votes are drawn; leads change it as any guidelines."""
        return ""

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
