"""Definitions to begin with: a definition in YAML, a few rows to try it with, a name and a sentence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

FOLDER = Path(__file__).with_name("templates")
# In the order of the cards: what most people begin with first.
CARDS: Mapping[str, tuple[Promise, Promise]] = {
    "pair": (_("Pairs with reasons"), _("Which of two responses is better, and why, for a dataset of preferences.")),
    "rating": (_("Ratings"), _("How good a response is, on scales.")),
    "hhh": (_("Helpful, honest, harmless"), _("Three questions about two responses.")),
    "safety": (_("Safety"), _("Whether a response is safe, and what is wrong if it is not.")),
    "summary": (_("Summaries"), _("Four ratings of a summary of a text.")),
    "rag": (_("Answers from passages"), _("Whether an answer is supported by the passages that it was made from.")),
    "hallucination": (
        _("Unsupported statements"),
        _("Parts of an answer that its passages do not support, each with what is wrong."),
    ),
    "rubric": (_("Rubrics"), _("Which of an item's own criteria a response meets, with points.")),
    "criteria": (
        _("Criteria of rubrics"),
        _("What a good response has to meet: a model drafts the criteria, people edit them."),
    ),
    "agent": (_("Agents"), _("Each step of an agent in its transcript, and the first wrong one.")),
    "mqm": (
        _("Translation errors (MQM)"),
        _("Errors marked in a translation, each with a category and a severity."),
    ),
    "post_editing": (_("Post-editing"), _("Correct a translation, with the difference in sight.")),
    "extraction": (_("Extraction"), _("Read values out of a text.")),
}


@dataclass(frozen=True)
class Template:
    """A definition to begin with. sample: a few rows as JSONL that can be imported as they are."""

    slug: str
    name: Promise
    about: Promise
    definition: str
    sample: str

    @property
    def picture_template(self) -> str:
        """A small drawing of its work page, without words; a template without one has its kind's."""
        return f"definitions/pictures/{self.slug}.svg"

    @property
    def first_row(self) -> dict[str, Any]:
        return dict(json.loads(self.sample.partition("\n")[0]))


@cache
def all_templates() -> dict[str, Template]:
    """slug -> template, in the order of the cards."""
    return {
        slug: Template(
            slug,
            name,
            about,
            (FOLDER / f"{slug}.yaml").read_text(encoding="utf-8"),
            (FOLDER / f"{slug}.jsonl").read_text(encoding="utf-8"),
        )
        for slug, (name, about) in CARDS.items()
    }
