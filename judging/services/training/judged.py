"""What our own judges said in branches, step by step out of the ledger of calls; and which answers they preferred."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotate.kinds.protocol import Question
from annotate.kinds.shapes import Told
from annotate.llm.reading import Unread, read
from annotate.models import Call, Item, Project, Run
from judging.models import Judge, Verdict
from judging.services.cases import Case, case_of
from judging.services.training.base import AGREEING, ALL, NONE, Chosen, Example, Pair, asked_text
from judging.services.training.corrected import blocks_in
from judging.services.training.steps import About, Criterion
from judging.services.training.wording import Wordings, in_use
from judging.strategies.branches.told import Compared, Scored

STEPWISE = {"branching", "branching-single"}  # others have no guideline to train with
UNREAD, ONE_ORDER, ORDERS_DIFFER = "unread verdict", "one order only", "orders disagree"
AGAINST_PEOPLE, OUTDATED, NOT_KEPT = "against people's label", "outdated verdict", "reply not kept with its job"
LABELS_KEPT, RECOVERED = "labels=kept", "criteria=recovered"  # in the variant of a judge
COUNT = re.compile(r"\bn=(\d+)")
JUDGEMENT = re.compile(r"(?P<at>judge/1(?:/swapped)?)/(?:pair|single)/(?P<place>\d+)")
Answer = TypeVar("Answer", bound=Told)


@dataclass(frozen=True)
class Asked:
    """One judgement by one criterion. by: the criterion and the guideline that the judge was given, as texts."""

    place: int
    by: Mapping[str, str]
    reply: str


Calls = Mapping[int, Mapping[str, Sequence[Asked]]]  # job -> path of an order -> its judgements, by place


def examples(
    project: Project, items: Sequence[Item], selection: Chosen, skip_counts: Counter[str]
) -> Iterator[Example]:
    """Of each judge's first repeat, verdict by verdict."""
    if selection.judges == NONE or not project.kind.judges_answers:
        return
    by_pair = _by_pair(items)
    cases = _cases(project, items, by_pair)
    verdict_groups = [group for group in by_pair if _is_kept(group, selection, cases, skip_counts)]
    calls = _calls(
        [candidate for group in verdict_groups for candidate in group if candidate.judge.strategy in STEPWISE]
    )
    wordings = _wordings(project, verdict_groups)
    for verdicts in verdict_groups:
        case = cases[verdicts[0].item_id]
        assert case is not None
        for verdict in verdicts:
            if verdict.judge.strategy in STEPWISE:
                yield from _steps(verdict, case, calls, wordings, skip_counts)
        yield from _preferred(verdicts, case)


def _by_pair(items: Sequence[Item]) -> list[list[Verdict]]:
    """The verdicts of one job about one answer or pair, each order once."""
    verdicts = Verdict.objects.filter(item__in=[item.pk for item in items], job__isnull=False, repeat=1)
    by_pair: dict[Any, list[Verdict]] = defaultdict(list)
    for verdict in verdicts.select_related("judge", "job", "first", "second").order_by("item", "job", "swapped"):
        by_pair[verdict.job_id, verdict.first_id, verdict.second_id].append(verdict)
    return list(by_pair.values())


def _cases(project: Project, items: Sequence[Item], by_pair: Sequence[Sequence[Verdict]]) -> dict[int, Case | None]:
    item_ids = {verdict.item_id for verdicts in by_pair for verdict in verdicts}
    stored_items = Item.objects.select_related("base", "project").filter(pk__in=item_ids)
    return {item.pk: case_of(item) for item in stored_items}


def _is_kept(
    verdicts: Sequence[Verdict], selection: Chosen, cases: Mapping[int, Case | None], skip_counts: Counter[str]
) -> bool:
    why = _why_not(verdicts, selection, cases)
    skip_counts[why] += bool(why)
    return not why


def _why_not(verdicts: Sequence[Verdict], selection: Chosen, cases: Mapping[int, Case | None]) -> str:
    """Why these are left out; "" where they are not. One answer alone has no orders that could disagree."""
    case = cases.get(verdicts[0].item_id)
    if case is None or any(verdict.case_sha != case.judged.sha256 for verdict in verdicts):
        return OUTDATED
    if any(verdict.reading != Verdict.Reading.OK for verdict in verdicts):
        return UNREAD
    if selection.judges == ALL or verdicts[0].second is None:
        return ""
    if len(verdicts) < 2:
        return ONE_ORDER
    if verdicts[0].choice != verdicts[1].choice:
        return ORDERS_DIFFER
    label = next(iter(case.judged.labels.get("human_label", ())), None)
    return AGAINST_PEOPLE if selection.judges == AGREEING and label not in (None, verdicts[0].choice) else ""


def _wordings(project: Project, verdict_groups: Sequence[Sequence[Verdict]]) -> Mapping[int, Wordings]:
    """run -> the wordings with which it was planned."""
    current = in_use(project)
    runs = Run.objects.filter(jobs__in={verdicts[0].job_id for verdicts in verdict_groups}).distinct()
    runs = runs.select_related("guideline").prefetch_related("prompts", "texts")
    return {run.pk: current.of_judging(run) for run in runs}


def _calls(verdicts: Sequence[Verdict]) -> Calls:
    """The last reply that could be read to each judgement, with what was asked."""
    calls = Call.objects.filter(job__in={verdict.job_id for verdict in verdicts}, cause="").order_by("attempt")
    latest_judgements: dict[tuple[int, str, int], Asked] = {}
    for job, step, request, reply in calls.values_list("job", "step", "request", "reply").iterator(chunk_size=200):
        if (step_match := JUDGEMENT.fullmatch(step)) is not None:
            texts = blocks_in(request)
            criterion_texts = {name: texts.get(name, "") for name in ("criterion", "guideline")}
            latest_judgements[job, step_match["at"], int(step_match["place"])] = Asked(
                int(step_match["place"]), criterion_texts, reply
            )
    by_job: dict[int, dict[str, list[Asked]]] = defaultdict(lambda: defaultdict(list))
    for (job, path, _place), judgement in sorted(latest_judgements.items(), key=lambda entry: entry[0]):
        by_job[job][path].append(judgement)
    return by_job


def _steps(
    verdict: Verdict, case: Case, calls: Calls, wordings: Mapping[int, Wordings], skip_counts: Counter[str]
) -> Iterator[Example]:
    """In the order in which the judge was shown the answers, with its own words about them.

    Criteria and guidelines are taken from what the judge was given for its judgements: they may have been asked for by
    another job, or in the other order.
    """
    path = f"judge/{verdict.repeat}/swapped" if verdict.swapped else f"judge/{verdict.repeat}"
    judgements = calls.get(verdict.job_id or 0, {}).get(path, ())
    assert verdict.job is not None
    about = About(case.judged.messages, case.item.key, case.language, wordings[verdict.job.run_id], verdict.judge.name)
    numbered = COUNT.search(verdict.judge.variant)
    if not judgements or (numbered and RECOVERED not in verdict.judge.variant and len(judgements) < int(numbered[1])):
        skip_counts[NOT_KEPT] += 1
    elif RECOVERED not in verdict.judge.variant.split():
        yield from _own(about, judgements)
    for judgement in judgements:
        yield from _judgement(about, verdict, judgement)


def _own(about: About, judgements: Sequence[Asked]) -> Iterator[Example]:
    """The judge's criteria with their guidelines; those of the item are not its to teach."""
    criteria = [Criterion.read(judgement.by["criterion"], judgement.by["guideline"]) for judgement in judgements]
    known_criteria = [criterion for criterion in criteria if criterion is not None]
    if len(known_criteria) == len(criteria):
        yield about.criteria(known_criteria)
    for criterion in known_criteria:
        yield about.guideline(criterion)


def _judgement(about: About, verdict: Verdict, judgement: Asked) -> Iterator[Example]:
    """With labels kept, an answer is A or B in both orders, and only their places change."""
    if verdict.second is None:
        single = _read(judgement.reply, Scored)
        if single is not None:
            yield about.judgement(judgement.by, verdict.first.text, _whole(single))
        return
    pair = _read(judgement.reply, Compared)
    if pair is None:
        return
    first, second = verdict.first.text, verdict.second.text
    labels_kept = LABELS_KEPT in verdict.judge.variant.split()
    if verdict.swapped and not labels_kept:
        first, second = second, first
    yield about.comparison(judgement.by, first, second, _whole(pair), b_first=verdict.swapped and labels_kept)


def _whole(reply: Told) -> dict[str, Any]:
    """As JSON, whole scores without a point."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in reply.model_dump().items()
    }


def _read(reply: str, answer: type[Answer]) -> Answer | None:
    try:
        reading = read(Question("", [], answer), reply)
    except Unread:
        return None
    assert isinstance(reading, answer)
    return reading


def _preferred(verdicts: Sequence[Verdict], case: Case) -> Iterator[Pair]:
    """Where both orders say that one of two answers is better, whatever the strategy."""
    first_verdict = verdicts[0]
    if first_verdict.second is None or len({verdict.choice for verdict in verdicts}) > 1 or len(verdicts) < 2:
        return
    texts = {"first": first_verdict.first.text, "second": first_verdict.second.text}
    if first_verdict.choice not in texts or not all(text.strip() for text in texts.values()):
        return
    chosen = texts.pop(first_verdict.choice)
    (rejected,) = texts.values()
    if chosen != rejected:
        messages = case.judged.messages
        query, prompt = asked_text(messages), [dict(message) for message in messages]
        pair_prompt = query if len(messages) == 1 else prompt
        yield Pair(query, pair_prompt, chosen, rejected, "verdict", case.item.key, _called(first_verdict.judge))


def _called(judge: Judge) -> str:
    """In full where it was not fenced, so that nobody trains on what an answer may have ordered without knowing."""
    return str(judge) if judge.not_fenced else judge.name
