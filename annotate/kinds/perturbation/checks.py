"""What is looked at before a person does: doubts about a perturbation, each with the place that it is about."""

from collections.abc import Iterator

from annotate.kinds.perturbation import changed
from annotate.kinds.perturbation.shapes import PerturbationDraft, PerturbationFacts
from annotate.kinds.perturbation.taxonomy import Category
from annotate.kinds.shapes import Finding
from lib.texts.differences import Difference, compared
from lib.texts.said import say as _

PERTURBED = "perturbed_answer"


def doubts(facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None) -> Iterator[Finding]:
    """Nothing is doubted about a text that is not there: that is a problem of its own."""
    if category is None:
        message = _("the project has no category “%(category)s”, so it cannot say what should change.")
        yield Finding("verdict", message % {"category": facts.category[:60]})
    if not facts.gold_answer.strip():
        yield Finding(PERTURBED, _("there is no gold answer to compare it with."))
    elif draft.perturbed_answer.strip():
        difference = compared(facts.gold_answer, draft.perturbed_answer)
        yield from _of_the_difference(facts, draft, category, difference)


def _of_the_difference(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category | None, difference: Difference
) -> Iterator[Finding]:
    if not difference.changed:
        yield Finding(PERTURBED, _("it is the gold answer, character for character."))
        return
    if category is not None:
        yield from _of_the_size(category, 1 - difference.shared)
        yield from _left_alone(facts, draft, category, difference)
    if facts.explanation.strip() and not changed.mentioned(difference, facts.explanation):
        yield Finding(PERTURBED, _("the explanation mentions nothing that changed."))


def _of_the_size(category: Category, share: float) -> Iterator[Finding]:
    params = {"category": category.words.name, "share": f"{100 * share:.1f}"}
    if share > category.largest:
        message = _("%(share)s %% of the text changed, which is much for “%(category)s”.")
        yield Finding(PERTURBED, message % params)
    elif share < category.smallest:
        message = _("only %(share)s %% of the text changed, which is little for “%(category)s”.")
        yield Finding(PERTURBED, message % params)


def _left_alone(
    facts: PerturbationFacts, draft: PerturbationDraft, category: Category, difference: Difference
) -> Iterator[Finding]:
    if category.must_change == "number" and not changed.numbers_changed(difference):
        yield Finding(PERTURBED, _("no number changed."))
    elif category.must_change == "unit" and not changed.units_changed(difference):
        yield Finding(PERTURBED, _("no unit changed."))
    elif category.must_change == "format" and not changed.format_changed(facts.gold_answer, draft.perturbed_answer):
        yield Finding(PERTURBED, _("the form of the text is the same: no heading, list, emphasis or line changed."))
