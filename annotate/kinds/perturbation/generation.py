"""Generation of a perturbation by a model: a prompt frame, and the part that each category adds to it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from django.utils.translation import gettext as _

from annotate.kinds.perturbation.shapes import (
    INVARIANT_ABILITY,
    Category,
    CategoryOptions,
    CategoryWords,
    build_taxonomy,
    shipped,
    subtlety,
)
from annotate.kinds.protocol import Ask, Prompts, Question
from annotate.kinds.shapes import AnswerShape
from annotate.kinds.values import GeneratedItem
from lib.texts.fencing import fenced

FRAMES = Path(__file__).with_name("making")
LANGUAGES = ("en", "zh")
OWN = "category"  # prompt of categories that a project has added or given a `prompt` of their own
ADDED = "{{ making }}"  # the slot of a frame for the category's part


class Perturbed(AnswerShape):
    """perturbed_answer: the whole text; explanation: what stood there before, and what stands there now."""

    perturbed_answer: str
    explanation: str


class MadePerturbation(GeneratedItem):
    """A generated perturbation that shows its texts when a prompt is tried."""

    def told(self) -> Iterator[tuple[str, str]]:
        yield _("Perturbed answer"), self.draft["perturbed_answer"]
        yield _("Explanation"), self.explanation


def wordings() -> Mapping[tuple[str, str], str]:
    """(category, language) -> its prompt; and the prompt for categories that are not shipped."""
    texts_by_category = {(OWN, language): _frame("error", language) for language in LANGUAGES}
    for slug, category in build_taxonomy({}, {}).categories.items():
        for language in LANGUAGES:
            frame = _frame("error" if category.expects == "valid" else "paraphrase", language)
            texts_by_category[slug, language] = frame.replace(ADDED, _making(category, language))
    return texts_by_category


def _frame(name: str, language: str) -> str:
    return (FRAMES / f"{name}.{language}.md").read_text("utf-8").strip()


def _making(category: Category, language: str) -> str:
    """The category's part: what to do, and how little it may show."""
    words = _words(category, language)
    space = "" if language == "zh" else " "
    return space.join(filter(None, [words.prompt or words.definition, subtlety(category.subtle, language)]))


def _words(category: Category, language: str) -> CategoryWords:
    return category.zh if language == "zh" and category.zh else category


def step_for(slug: str, options: CategoryOptions) -> str:
    """The prompt that a project uses for a category."""
    if slug not in options.taxonomy.categories:
        return ""
    is_own = slug not in shipped()["categories"] or "prompt" in (options.categories.get(slug) or {})
    return OWN if is_own else slug


def fitting(ability: str, options: CategoryOptions) -> list[str]:
    """The categories of an ability, and those that are made from prompts of any ability."""
    categories = options.taxonomy.categories
    return [slug for slug, category in categories.items() if category.ability in (ability, INVARIANT_ABILITY)]


async def perturb(
    slug: str, prompt: str, gold: str, options: CategoryOptions, prompts: Prompts, ask: Ask, *, language: str
) -> GeneratedItem:
    """The facts and the draft of one perturbation, as the model made it. Raises CallFailed."""
    category = options.taxonomy.categories[slug]
    words, step = _words(category, language), step_for(slug, options)
    texts = {
        "prompt": prompt,
        "gold_answer": gold,
        "category": words.name,
        "definition": words.definition,
        "example": words.examples,
        "valid": words.valid,
        "making": _making(category, language),
    }
    question = fenced(prompts.text(step, language), texts, language=language)
    reply = await ask(Question(slug, question.messages(), Perturbed))
    assert isinstance(reply.read, Perturbed)
    explanation = reply.read.explanation.strip()
    facts = {
        "prompt": prompt,
        "gold_answer": gold,
        "ability": category.ability,
        "category": slug,
        "explanation": explanation,
    }
    return MadePerturbation(
        facts, {"perturbed_answer": reply.read.perturbed_answer, "verdict": None, "note": ""}, explanation
    )
