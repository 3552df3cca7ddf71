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


def examples(project: Project, items: Sequence[Item], skip_counts: Counter[str]) -> Iterator[Example]:
    """Of items of the kind `branching`, each with the text that counts."""
    if project.kind_slug != KIND:
        return
    texts, wordings = best_texts(items), in_use(project)
    for item in items:
        text = texts[item.pk].text
        if text is None:
            skip_counts[NO_TEXT] += 1
            continue
        try:
            facts = project.kind.read_facts(project.kind.upgrade(item.facts, item.schema))
            draft = project.kind.read_draft(project.kind.upgrade(text.draft, text.schema))
        except BadShape:
            skip_counts[UNREADABLE] += 1
            continue
        turns: list[Message] = [{"role": "user", "content": facts.query}]
        about = About(turns, item.key, item.language.split("-")[0] or "en", wordings)
        spoken = language(item, project.kind, facts)
        yield from of_tree(about, facts, draft, project.kind_options, skip_counts, bridging_language=spoken)


def of_tree(
    about: About,
    facts: BranchingFacts,
    draft: BranchingDraft,
    options: BranchingOptions,
    skip_counts: Counter[str],
    *,
    bridging_language: str = "",
) -> Iterator[Example]:
    """bridging_language: in which bridging asks about this item, also where nobody has said its language.

    Criteria first, then criterion by criterion, then corrections and pairs; before them the way back, if any."""
    branches = [branch for branch in draft.stored()["branches"] if _is_finished(branch)]
    skip_counts[UNFINISHED] += len(draft.branches) - len(branches)
    if facts.original is not None:
        way_back = replace(about, language=bridging_language or about.language)
        yield from bridged.of_judgement(way_back, facts, [criterion(branch) for branch in branches], skip_counts)
        if not any(_is_scored(branch) for branch in branches):  # people approved criteria and judged nothing themselves
            yield from _preferred(about, facts, draft, skip_counts)
            return
    if branches:
        yield about.criteria([criterion(branch) for branch in branches])
    for branch in branches:
        yield about.guideline(criterion(branch))
        yield from _judgements(about, facts, branch, skip_counts)
    for side in SIDES if facts.second is not None else SIDES[:1]:
        yield from _correction(about, facts, draft, branches, options, side)
    yield from _preferred(about, facts, draft, skip_counts)


def criterion(branch: Branch) -> Criterion:
    return Criterion(branch["name"].strip(), branch["description"].strip(), branch["guideline"]["levels"])


def _is_finished(branch: Branch) -> bool:
    levels = branch["guideline"]["levels"]
    texts = [branch["name"], branch["description"], *levels]
    return len(levels) == LEVELS and all(words.strip() for words in texts)


def _is_scored(branch: Branch) -> bool:
    return any(score_of(branch, side) is not None for side in SIDES)


def _judgements(about: About, facts: BranchingFacts, branch: Branch, skip_counts: Counter[str]) -> Iterator[Example]:
    """A pair in both orders: the responses keep their names, and with them what is said of each."""
    judgement, sides = branch["judgement"], SIDES if facts.second is not None else SIDES[:1]
    if any(score_of(branch, side) is None for side in sides):
        skip_counts[NO_SCORE] += 1
        return
    if facts.second is None:
        answer = {"explanation": judgement["explanation_first"], "score": judgement["score_first"]}
        yield about.judgement(by(criterion(branch)), facts.first, answer)
        return
    answer = {f"explanation_{side}": judgement[f"explanation_{side}"] for side in SIDES} | {
        "comparison": judgement["comparison"]
    }
    answer |= {f"score_{side}": judgement[f"score_{side}"] for side in SIDES}
    criterion_texts = by(criterion(branch))
    yield about.comparison(criterion_texts, facts.first, facts.second, answer)
    if about.can_turn:
        yield about.comparison(criterion_texts, facts.first, facts.second, answer, b_first=True)
    else:
        skip_counts[LABELS_MOVE] += 1


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
    ground_ids = getattr(draft, f"grounds_{side}") or grounds(branches, side, options)
    source_branches = [
        branch for branch in branches if branch["judgement"]["id"] in ground_ids and score_of(branch, side) is not None
    ]
    if source_branches:
        yield about.correction(response, judgements_text(source_branches, side), text)
    if response.strip():
        yield Pair(facts.query, facts.query, text, response, "correction", about.key)


def _preferred(
    about: About, facts: BranchingFacts, draft: BranchingDraft, skip_counts: Counter[str]
) -> Iterator[Example]:
    """What is ahead by its sum, unless people's label says otherwise; without sums, what the label prefers."""
    leading_side = sums(draft.stored()["branches"]).ahead
    ahead, sort = (leading_side, "scores") if leading_side else (facts.human_label, "label")
    if ahead not in SIDES or not facts.first.strip() or not (facts.second or "").strip():
        return
    if facts.human_label not in (None, ahead):
        skip_counts[PEOPLE_DIFFER] += 1
        return
    texts = {"first": facts.first, "second": facts.second or ""}
    chosen, rejected = (texts[side] for side in (SIDES if ahead == "first" else SIDES[::-1]))
    if chosen != rejected:
        yield Pair(facts.query, facts.query, chosen, rejected, sort, about.key)
