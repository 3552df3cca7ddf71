"""Score votes: how good a blinded answer is by each criterion of the project; facts, draft, options and the kind."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy
from pydantic import Field as pydantic_Field
from pydantic import model_validator

from annotate.kinds import voting
from annotate.kinds.option_labels import OptionLabel
from annotate.kinds.protocol import JudgedItem
from annotate.kinds.shapes import Finding, LenientOptions, Shape
from annotate.kinds.values import Field
from annotate.kinds.voting import Text, VotePrompt
from lib.texts.stored_sentences import say as _


class ScoreVoteFacts(VotePrompt):
    """An answer. The criteria are the project's."""

    answer: Text


class ScoreVoteDraft(Shape):
    """scores: criterion -> score, None where it is not given yet; cannot_tell: criteria on which its writer cannot say.

    recognised: its writer believes to know who wrote the answer.
    """

    scores: dict[str, int | None]
    cannot_tell: list[str]
    reason: str
    recognised: bool

    def stored(self) -> dict[str, Any]:
        return self.model_dump()


class ScoreVoteOptions(LenientOptions):
    """criteria: what is scored, each by its name. scale: the best score, 5 or 10; the worst is 1."""

    criteria: Annotated[
        list[Text],
        pydantic_Field(min_length=1, max_length=20),
        OptionLabel(
            gettext_lazy("Criteria"),
            help=gettext_lazy("One per line, up to 20. Each is scored on its own."),
            example=gettext_lazy("Helpfulness"),
        ),
    ] = ["Overall quality"]
    scale: Annotated[
        Literal[5, 10],
        OptionLabel(
            gettext_lazy("Scale"),
            help=gettext_lazy("From the worst to the best score."),
            choices={5: gettext_lazy("1 to 5"), 10: gettext_lazy("1 to 10")},
        ),
    ] = 5

    @model_validator(mode="after")
    def _names_differ(self) -> "ScoreVoteOptions":
        if len(set(self.criteria)) != len(self.criteria):
            raise ValueError(gettext("criteria: two have the same name; give each its own."))
        return self


CANNOT_TELL = "cannot_tell"


FIELDS = (
    Field("scores", gettext_lazy("Scores"), "choice"),
    Field("cannot_tell", gettext_lazy("Cannot tell"), "choices"),
    Field("reason", gettext_lazy("Reason"), "text", free=True),
    Field("recognised", gettext_lazy("I can tell which model this is"), "flag", free=True),
)


class ScoreVote(voting.VoteKind[ScoreVoteFacts, ScoreVoteDraft, ScoreVoteOptions]):
    """Score one answer from 1 to 5 or 10 by each criterion, without knowing whose it is.

    Facts: what was asked, the answer. Draft: a score for each criterion, a reason. Criteria and scale are options.
    """

    slug = "score_vote"
    name = gettext_lazy("Score votes")
    about = gettext_lazy("Score a blinded answer by criteria, from 1 to 5 or to 10.")
    facts, draft, options = ScoreVoteFacts, ScoreVoteDraft, ScoreVoteOptions
    fact_labels = {**voting.VoteKind.fact_labels, "answer": gettext_lazy("Answer")}
    voted, answers_shown = "score", 1
    brings_answers = True

    def own_guidelines(self) -> Sequence[str]:
        return [
            "# " + _("How good is the answer?"),
            "",
            _(
                "Score each criterion on its own. Use the whole scale: the lowest score helps nobody, the "
                "highest lacks nothing."
            ),
            "",
            "- **"
            + _("Cannot tell")
            + "**: "
            + _("you lack the knowledge, or the criterion does not fit this answer."),
            "",
        ]

    def texts(self, facts: ScoreVoteFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "answer": facts.answer}

    def empty_draft(self, facts: ScoreVoteFacts) -> dict[str, Any]:
        return {"scores": {}, "cannot_tell": [], "reason": "", "recognised": False}

    def fields(self, facts: ScoreVoteFacts) -> Sequence[Field]:
        return FIELDS

    def problems(self, facts: ScoreVoteFacts, draft: ScoreVoteDraft, options: ScoreVoteOptions) -> list[Finding]:
        unknown = {*draft.scores, *draft.cannot_tell} - set(options.criteria)
        if unknown:
            message = _("“%(name)s” is not a criterion of this project. It has: %(criteria)s.")
            params = {"name": min(unknown)[:60], "criteria": ", ".join(options.criteria)[:200]}
            return [Finding("scores", message % params)]
        message = _("choose 1 to %(most)d, or that you cannot tell.") % {"most": options.scale}
        return [
            Finding(f"scores[{index}]", message, source="check" if draft.scores.get(name) else "blank")
            for index, name in enumerate(options.criteria)
            if name not in draft.cannot_tell and not 1 <= (draft.scores.get(name) or 0) <= options.scale
        ]

    def read_form(self, data: QueryDict, facts: ScoreVoteFacts) -> dict[str, Any]:
        """The form names its criteria itself, because the project's criteria are not known here."""
        names = data.getlist("criterion")
        posted = {name: data.get(f"score-{number}", "") for number, name in enumerate(names, start=1)}
        return {
            "scores": {name: _number(text) for name, text in posted.items()},
            "cannot_tell": [name for name, text in posted.items() if text == CANNOT_TELL],
            "reason": voting.reason(data),
            "recognised": data.get("recognised") == "1",
        }

    def form_context(
        self, facts: ScoreVoteFacts, draft: Mapping[str, Any], options: ScoreVoteOptions
    ) -> dict[str, Any]:
        scores, untold = draft.get("scores") or {}, draft.get("cannot_tell") or []
        rows = [(name, scores.get(name), name in untold) for name in options.criteria]
        return {"rows": rows, "values": range(1, options.scale + 1), "most": options.scale}

    def shown(self, name: str, value: Any) -> str:
        if name == "scores" and isinstance(value, Mapping):
            return "\n".join(f"{criterion}: {score}" for criterion, score in value.items() if score is not None)
        return (_("Yes") if value else _("No")) if name == "recognised" else super().shown(name, value)

    def ballot(self, judged: JudgedItem, texts: Sequence[str]) -> dict[str, Any] | None:
        query_facts = voting.prompt_facts(judged)
        return {**query_facts, "answer": texts[0]} if query_facts and all(text.strip() for text in texts) else None

    def votes(self, facts: ScoreVoteFacts, draft: ScoreVoteDraft) -> Mapping[str, float | str | None]:
        votes: dict[str, float | str | None] = {
            name: float(score) for name, score in draft.scores.items() if score is not None
        }
        votes |= dict.fromkeys(draft.cannot_tell)
        alone = len({*draft.scores, *draft.cannot_tell}) == 1
        return dict(zip([""], votes.values(), strict=False)) if alone else votes


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else None


KIND = ScoreVote()
