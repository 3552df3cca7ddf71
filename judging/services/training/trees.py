"""What people accepted in trees of branching judgements, as chats and as pairs of answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotate.kinds.branching.reading import judgements_text
from annotate.kinds.branching.scoring import SIDES, Side, grounds, score_of, sums
from annotate.kinds.branching.shapes import BranchingDraft, BranchingFacts, BranchingOptions
from annotate.kinds.protocol import Message
from annotate.kinds.values import BadShape
from annotate.models import Item, Project
from annotate.purposes.preannotate import language
from annotate.services.releasing.texts import best_texts
from judging.services.training import bridged
from judging.services.training.base import Example, Pair
from judging.services.training.steps import About, Criterion, by
from judging.services.training.wording import in_use

UNREADABLE, NO_TEXT, UNFINISHED, NO_SCORE = "unreadable item", "no tree yet", "unfinished criterion", "score missing"
LABELS_MOVE = "other order: the wording does not let labels be kept"
PEOPLE_DIFFER = "sums against people's label"
KIND = "branching"
LEVELS = 5
Branch = Mapping[str, Any]


def examples(project: Project, items: Sequence[Item], left_out: Counter[str]) -> Iterator[Example]:
    """Of items of the kind `branching`, each with the text that counts."""
    if project.kind_slug != KIND:
        return
    texts, wordings = best_texts(items), in_use(project)
    for item in items:
        text = texts[item.pk].text
        if text is None:
            left_out[NO_TEXT] += 1
            continue
        try:
            facts = project.kind.read_facts(project.kind.upgrade(item.facts, item.schema))
            draft = project.kind.read_draft(project.kind.upgrade(text.draft, text.schema))
        except BadShape:
            left_out[UNREADABLE] += 1
            continue
        turns: list[Message] = [{"role": "user", "content": facts.query}]
        about = About(turns, item.key, item.language.split("-")[0] or "en", wordings)
        spoken = language(item, project.kind, facts)
        yield from of_tree(about, facts, draft, project.kind_options, left_out, bridging_language=spoken)


def of_tree(
    about: About,
    facts: BranchingFacts,
    draft: BranchingDraft,
    options: BranchingOptions,
    left_out: Counter[str],
    *,
    bridging_language: str = "",
) -> Iterator[Example]:
    """bridging_language: in which bridging asks about this item, also where nobody has said its language.

    Criteria first, then criterion by criterion, then corrections and pairs; before them the way back, if any."""
    branches = [one for one in draft.stored()["branches"] if _is_finished(one)]
    left_out[UNFINISHED] += len(draft.branches) - len(branches)
    if facts.original is not None:
        way_back = replace(about, language=bridging_language or about.language)
        yield from bridged.of_judgement(way_back, facts, [criterion(one) for one in branches], left_out)
        if not any(_is_scored(one) for one in branches):  # people approved criteria and judged nothing themselves
            yield from _preferred(about, facts, draft, left_out)
            return
    if branches:
        yield about.criteria([criterion(one) for one in branches])
    for one in branches:
        yield about.guideline(criterion(one))
        yield from _judgements(about, facts, one, left_out)
    for side in SIDES if facts.second is not None else SIDES[:1]:
        yield from _correction(about, facts, draft, branches, options, side)
    yield from _preferred(about, facts, draft, left_out)


def criterion(one: Branch) -> Criterion:
    return Criterion(one["name"].strip(), one["description"].strip(), one["guideline"]["levels"])


def _is_finished(one: Branch) -> bool:
    levels = one["guideline"]["levels"]
    texts = [one["name"], one["description"], *levels]
    return len(levels) == LEVELS and all(words.strip() for words in texts)


def _is_scored(one: Branch) -> bool:
    return any(score_of(one, side) is not None for side in SIDES)


def _judgements(about: About, facts: BranchingFacts, one: Branch, left_out: Counter[str]) -> Iterator[Example]:
    """A pair in both orders: the responses keep their names, and with them what is said of each."""
    said, sides = one["judgement"], SIDES if facts.second is not None else SIDES[:1]
    if any(score_of(one, side) is None for side in sides):
        left_out[NO_SCORE] += 1
        return
    if facts.second is None:
        told = {"explanation": said["explanation_first"], "score": said["score_first"]}
        yield about.judgement(by(criterion(one)), facts.first, told)
        return
    told = {f"explanation_{side}": said[f"explanation_{side}"] for side in SIDES} | {"comparison": said["comparison"]}
    told |= {f"score_{side}": said[f"score_{side}"] for side in SIDES}
    given = by(criterion(one))
    yield about.comparison(given, facts.first, facts.second, told)
    if about.can_turn:
        yield about.comparison(given, facts.first, facts.second, told, b_first=True)
    else:
        left_out[LABELS_MOVE] += 1


def _correction(
    about: About,
    facts: BranchingFacts,
    draft: BranchingDraft,
    branches: Sequence[Branch],
    options: BranchingOptions,
    side: Side,
) -> Iterator[Example]:
    """From the judgements that it was written from; where it names none, from those that are low enough."""
    text, response = getattr(draft, f"correction_{side}"), getattr(facts, side) or ""
    if not text.strip() or text.split() == response.split():
        return
    named = getattr(draft, f"grounds_{side}") or grounds(branches, side, options)
    found = [one for one in branches if one["judgement"]["id"] in named and score_of(one, side) is not None]
    if found:
        yield about.correction(response, judgements_text(found, side), text)
    if response.strip():
        yield Pair(facts.query, facts.query, text, response, "correction", about.key)


def _preferred(about: About, facts: BranchingFacts, draft: BranchingDraft, left_out: Counter[str]) -> Iterator[Example]:
    """What is ahead by its sum, unless people's label says otherwise; without sums, what the label prefers."""
    found = sums(draft.stored()["branches"]).ahead
    ahead, sort = (found, "scores") if found else (facts.human_label, "label")
    if ahead not in SIDES or not facts.first.strip() or not (facts.second or "").strip():
        return
    if facts.human_label not in (None, ahead):
        left_out[PEOPLE_DIFFER] += 1
        return
    texts = {"first": facts.first, "second": facts.second or ""}
    chosen, rejected = (texts[side] for side in (SIDES if ahead == "first" else SIDES[::-1]))
    if chosen != rejected:
        yield Pair(facts.query, facts.query, chosen, rejected, sort, about.key)
