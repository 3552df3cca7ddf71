"""Perturbations of gold answers: the blind spots of judges (FBI, arXiv 2406.13439); with the published tuples.

The published names of a tuple are task, category, cdx, question, og, perturbed_gpt4.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotate.kinds.contract import Kind
from annotate.kinds.perturbation import generation
from annotate.kinds.perturbation.shapes import (
    INVARIANT_ABILITY,
    Category,
    PerturbationDraft,
    PerturbationFacts,
    PerturbationOptions,
)
from annotate.kinds.protocol import CandidatePrompt, JudgedItem, Message
from annotate.kinds.shapes import Finding
from annotate.kinds.values import Field, GenerationRequest, Native
from lib.texts.differences import TextDifference, compared
from lib.texts.stored_sentences import say as _
from lib.texts.tokens import is_word, tokens

# Doubts: which numbers, units and formatting changed, and whether the explanation names them.


_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_NUMBER = re.compile(r"\d")
# Number words count as numbers too.
_NUMBER_WORDS = frozenset(_WORDS["numbers"].split())
_UNITS = frozenset(_WORDS["units"].split())
_STRUCTURE = re.compile(r"^[ \t]*(?:#{1,6}(?=\s)|[-*+](?=\s)|\d+[.)](?=\s)|>|\|)|\*\*|__|`+|\n+|[*_|]", re.MULTILINE)
_SMALL_WORDS = frozenset(_WORDS["small"].split())


def numbers_changed(difference: TextDifference) -> bool:
    return any(_NUMBER.search(token) or token.lower() in _NUMBER_WORDS for token in _changed(difference))


def units_changed(difference: TextDifference) -> bool:
    """Whether a unit changed, or a word next to a number."""
    return any(token.lower() in _UNITS or "%" in token for token in _changed(difference)) or _beside_a_number(
        difference
    )


def format_changed(gold: str, perturbed: str) -> bool:
    """Whether headings, lists, emphasis, tables, code or lines differ from before."""
    return _structure(gold) != _structure(perturbed)


def mentioned(difference: TextDifference, explanation: str) -> bool:
    """Whether the explanation contains any added or removed word, ignoring small words."""
    explanation_words = {token.lower() for token in tokens(explanation) if is_word(token)}
    telling = {token.lower() for token in _changed(difference) if is_word(token)} - _SMALL_WORDS
    return not telling or bool(telling & explanation_words)


def _structure(text: str) -> list[str]:
    return [mark.strip(" \t") or mark for mark in _STRUCTURE.findall(text)]


def _changed(difference: TextDifference) -> list[str]:
    """The tokens that occur more often in one of the texts than in the other."""
    added = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "added"))
    removed = Counter(_tokens_of(piece.text for piece in difference.pieces if piece.op == "removed"))
    return [*(added - removed), *(removed - added)]


def _tokens_of(texts: Iterable[str]) -> list[str]:
    return [token for text in texts for token in tokens(text) if not token.isspace()]


def _beside_a_number(difference: TextDifference) -> bool:
    for previous, piece in zip(difference.pieces, difference.pieces[1:], strict=False):
        same = [token for token in tokens(previous.text) if not token.isspace()]
        changed = [token for token in tokens(piece.text) if is_word(token)]
        if previous.op == "same" and piece.op != "same" and same and changed and _NUMBER.search(same[-1]):
            return True
    return False


# The doubts, each with the place that it is about.


PERTURBED = "perturbed_answer"


def doubts(facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None) -> Iterator[Finding]:
    """No doubts about a missing text: that is a problem of its own."""
    if category is None:
        message = _("the project has no category “%(category)s”, so it cannot say what should change.")
        yield Finding("verdict", message % {"category": facts.category[:60]})
    if not facts.gold_answer.strip():
        yield Finding(PERTURBED, _("there is no gold answer to compare it with."))
    elif draft.perturbed_answer.strip():
        difference = compared(facts.gold_answer, draft.perturbed_answer)
        yield from _of_the_difference(facts, draft, category, difference)


def _of_the_difference(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None, difference: TextDifference
) -> Iterator[Finding]:
    if not difference.changed:
        yield Finding(PERTURBED, _("it is the gold answer, character for character."))
        return
    if category is not None:
        yield from _of_the_size(category, 1 - difference.shared)
        yield from _left_alone(facts, draft, category, difference)
    if facts.explanation.strip() and not mentioned(difference, facts.explanation):
        yield Finding(PERTURBED, _("the explanation mentions nothing that changed."))


def _of_the_size(category: Category, share: float) -> Iterator[Finding]:
    params = {"category": category.words.name, "share": f"{100 * share:.1f}"}
    if share > category.largest:
        message = _("%(share)s %% of the text changed, which is a lot for “%(category)s”.")
        yield Finding(PERTURBED, message % params)
    elif share < category.smallest:
        message = _("only %(share)s %% of the text changed, which is little for “%(category)s”.")
        yield Finding(PERTURBED, message % params)


def _left_alone(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category, difference: TextDifference
) -> Iterator[Finding]:
    if category.must_change == "number" and not numbers_changed(difference):
        yield Finding(PERTURBED, _("no number changed."))
    elif category.must_change == "unit" and not units_changed(difference):
        yield Finding(PERTURBED, _("no unit changed."))
    elif category.must_change == "format" and not format_changed(facts.gold_answer, draft.perturbed_answer):
        yield Finding(PERTURBED, _("the form of the text is the same: no heading, list, emphasis or line changed."))


# The kind.


PUBLISHED = {
    "task": "ability",
    "category": "category",
    "cdx": "cdx",
    "question": "prompt",
    "og": "gold_answer",
    "perturbed_gpt4": "perturbed_answer",
}


def ours(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with our names, whichever names it uses, and with its key if it has none."""
    native_row = {PUBLISHED.get(name, name): value for name, value in row.items()}
    if native_row.get("verdict") is not None:
        native_row.setdefault("note", "")
    category, cdx = native_row.get("category"), native_row.get("cdx")
    if "key" not in native_row and isinstance(category, str) and isinstance(cdx, str):
        native_row["key"] = f"{category}/{cdx}"
    return native_row


def published(facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
    """The row as it is released: the tuple first, then our additions. What is absent stays absent."""
    row = {**facts, **draft}
    tuple_ = {published_name: row.pop(name) for published_name, name in PUBLISHED.items() if name in row}
    return tuple_ | row


# Verdict -> its name and its meaning, on the keys 1 to 5.
VERDICTS = {
    "valid": (gettext_lazy("Valid"), gettext_lazy("wrong as intended")),
    "invalid": (gettext_lazy("Invalid"), gettext_lazy("not wrong, or wrong in another way")),
    "score_invariant": (gettext_lazy("Score invariant"), gettext_lazy("changed, but equally good")),
    "not_relevant": (gettext_lazy("Not relevant"), gettext_lazy("outside this category")),
    "not_sure": (gettext_lazy("Not sure"), gettext_lazy("someone else decides")),
}
USELESS = ("invalid", "not_relevant")


FIELDS = (
    Field("verdict", gettext_lazy("Is the perturbation what the category asks for?"), "choice"),
    Field("perturbed_answer", gettext_lazy("Perturbed answer"), "text"),
    Field("note", gettext_lazy("Note"), "text", free=True),
)


class Perturbation(Kind[PerturbationFacts, PerturbationDraft, PerturbationOptions]):
    """Say whether a perturbed answer is wrong in the way its category asks for, and correct it where it is not.

    Facts: prompt, gold answer, ability, category, the generator's explanation. Draft: perturbed answer, verdict, note.
    """

    slug = "perturbation"
    wordless = ("ability", "category", "cdx")
    name = gettext_lazy("Perturbations")
    about = gettext_lazy("Validate answers that were made worse on purpose, to find what judges miss.")
    facts, draft, options = PerturbationFacts, PerturbationDraft, PerturbationOptions
    live_template = "perturbation/difference.html"
    fact_labels = {
        "prompt": gettext_lazy("Prompt"),
        "gold_answer": gettext_lazy("Gold answer"),
        "ability": gettext_lazy("Ability"),
        "category": gettext_lazy("Category"),
        "explanation": gettext_lazy("Changes according to the generator"),
        "cdx": gettext_lazy("Number in the published set"),
    }

    def listed_values(self, options: PerturbationOptions) -> Mapping[str, Sequence[str]]:
        return {"ability": list(options.taxonomy.abilities), "category": list(options.taxonomy.categories)}

    def title(self, facts: PerturbationFacts) -> str:
        return " ".join(facts.prompt.split())[:160] or facts.category[:160]

    def group(self, facts: PerturbationFacts, draft: PerturbationDraft | None) -> str:
        return facts.category

    def groups(self, options: PerturbationOptions) -> Sequence[str]:
        return list(options.taxonomy.categories)

    def reading_text(self, facts: PerturbationFacts) -> str:
        return facts.prompt

    def texts(self, facts: PerturbationFacts) -> Mapping[str, str]:
        return {"prompt": facts.prompt, "gold_answer": facts.gold_answer, "explanation": facts.explanation}

    def empty_draft(self, facts: PerturbationFacts) -> dict[str, Any]:
        return {"perturbed_answer": "", "verdict": None, "note": ""}

    def fields(self, facts: PerturbationFacts) -> Sequence[Field]:
        return FIELDS

    def problems(
        self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions
    ) -> list[Finding]:
        findings = []
        if draft.verdict is None:
            findings.append(Finding("verdict", _("choose a verdict.")))
        if not draft.perturbed_answer.strip() and not self.unsuitable(draft):
            findings.append(Finding("perturbed_answer", _("write the perturbed answer.")))
        return findings

    def doubts(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> list[Finding]:
        return list(doubts(facts, draft, options.taxonomy.categories.get(facts.category)))

    def unsuitable(self, draft: PerturbationDraft) -> bool:
        return draft.verdict in USELESS

    def revised(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
        """Another perturbed answer in place of an existing one; `problems` refuses an empty one."""
        old, new = before.get("perturbed_answer") or "", after.get("perturbed_answer") or ""
        return bool(old and new.strip()) and old != new

    def passed_on(self, draft: Mapping[str, Any]) -> dict[str, Any]:
        """Only the corrected answer: the next person judges independently."""
        return {**draft, "verdict": None, "note": ""}

    def read_form(self, data: QueryDict, facts: PerturbationFacts) -> dict[str, Any]:
        verdict = data.get("verdict", "")
        return {
            "perturbed_answer": _text(data.get("perturbed_answer", "")),
            "verdict": verdict if verdict in VERDICTS else None,
            "note": _text(data.get("note", "")),
        }

    def form_context(
        self, facts: PerturbationFacts, draft: Mapping[str, Any], options: PerturbationOptions
    ) -> dict[str, Any]:
        taxonomy = options.taxonomy
        category = taxonomy.categories.get(facts.category)
        return {
            "verdicts": [(value, name, means) for value, (name, means) in VERDICTS.items()],
            "ability": taxonomy.ability_name(facts.ability),
            "category": taxonomy.category_name(facts.category),
            "words": category.words if category else None,
        }

    def shown(self, name: str, value: Any) -> str:
        return str(VERDICTS[value][0]) if name == "verdict" and value in VERDICTS else super().shown(name, value)

    def wanted(self, options: PerturbationOptions) -> Sequence[GenerationRequest]:
        taxonomy = options.taxonomy
        return [
            GenerationRequest(
                group=slug,
                name=category.words.name,
                part=taxonomy.ability_name(category.counted_as),
                field="verdict",
                value=category.expects,
                count=options.wanted if category.wanted is None else category.wanted,
            )
            for slug, category in taxonomy.categories.items()
        ]

    judges_answers = perturbs = True

    def asked(
        self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions
    ) -> CandidatePrompt:
        return CandidatePrompt(_messages(facts), temperature=0.0, group=facts.category)

    def judged(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> JudgedItem:
        """A verdict, if there is one, is a label, so that reports can divide by it.

        The ability stays that of the prompt, whose axis a judge is told, even if the item counts as score-invariant.
        """
        labels = {"ability": [facts.ability], "category": [facts.category]}
        category = options.taxonomy.categories.get(facts.category)
        is_control = category is not None and category.counted_as == INVARIANT_ABILITY
        return JudgedItem(
            _messages(facts),
            labels=labels | ({"verdict": [draft.verdict]} if draft.verdict else {}),
            counted_as=INVARIANT_ABILITY if is_control else "",
        )

    def answers(self, facts: PerturbationFacts, draft: PerturbationDraft) -> Mapping[str, tuple[str, str]]:
        """The gold answer, and the perturbed one unless somebody has called it unusable."""
        held = {"gold": ("gold", facts.gold_answer)}
        if draft.verdict not in (*USELESS, "not_sure"):
            held["perturbed"] = ("perturbed", draft.perturbed_answer)
        return {author: (sort, text) for author, (sort, text) in held.items() if text.strip()}

    def parent_key(self, facts: PerturbationFacts) -> str:
        """Published numbers begin with the prompt's number: `factual-87_entity-errors` belongs to `factual-87`."""
        return (facts.cdx or "").partition("_")[0]

    def groups_made(self, options: PerturbationOptions) -> Mapping[str, str]:
        taxonomy = options.taxonomy
        return {
            slug: f"{taxonomy.ability_name(category.counted_as)}: {category.words.name}"
            for slug, category in taxonomy.categories.items()
        }

    def making_step(self, group: str, options: PerturbationOptions) -> str:
        return generation.step_for(group, options)

    def wordings(self) -> Mapping[tuple[str, str], str]:
        return generation.wordings()

    def passes(self, facts: PerturbationFacts, draft: PerturbationDraft, options: PerturbationOptions) -> bool:
        category = options.taxonomy.categories.get(facts.category)
        return draft.verdict == (category.expects if category else "valid")

    def read_row(self, row: Mapping[str, Any]) -> Native:
        return super().read_row(ours(row))

    def write_row(self, facts: Mapping[str, Any], draft: Mapping[str, Any]) -> dict[str, Any]:
        return published(facts, draft)


def _messages(facts: PerturbationFacts) -> list[Message]:
    return [{"role": "user", "content": facts.prompt}]


def _text(posted: str) -> str:
    """Browsers send CRLF; what it is compared with uses LF."""
    return posted.replace("\r\n", "\n")


KIND = Perturbation()
