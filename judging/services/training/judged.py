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


def examples(project: Project, items: Sequence[Item], chosen: Chosen, left_out: Counter[str]) -> Iterator[Example]:
    """Of each judge's first repeat, verdict by verdict."""
    if chosen.judges == NONE or not project.kind.judges_answers:
        return
    by_pair = _by_pair(items)
    cases = _cases(project, items, by_pair)
    kept = [said for said in by_pair if _is_kept(said, chosen, cases, left_out)]
    calls = _calls([one for said in kept for one in said if one.judge.strategy in STEPWISE])
    wordings = _wordings(project, kept)
    for said in kept:
        case = cases[said[0].item_id]
        assert case is not None
        for one in said:
            if one.judge.strategy in STEPWISE:
                yield from _steps(one, case, calls, wordings, left_out)
        yield from _preferred(said, case)


def _by_pair(items: Sequence[Item]) -> list[list[Verdict]]:
    """The verdicts of one job about one answer or pair, each order once."""
    found = Verdict.objects.filter(item__in=[item.pk for item in items], job__isnull=False, repeat=1)
    by_pair: dict[Any, list[Verdict]] = defaultdict(list)
    for one in found.select_related("judge", "job", "first", "second").order_by("item", "job", "swapped"):
        by_pair[one.job_id, one.first_id, one.second_id].append(one)
    return list(by_pair.values())


def _cases(project: Project, items: Sequence[Item], by_pair: Sequence[Sequence[Verdict]]) -> dict[int, Case | None]:
    wanted = {one.item_id for said in by_pair for one in said}
    found = Item.objects.select_related("base", "project").filter(pk__in=wanted)
    return {item.pk: case_of(item) for item in found}


def _is_kept(said: Sequence[Verdict], chosen: Chosen, cases: Mapping[int, Case | None], left_out: Counter[str]) -> bool:
    why = _why_not(said, chosen, cases)
    left_out[why] += bool(why)
    return not why


def _why_not(said: Sequence[Verdict], chosen: Chosen, cases: Mapping[int, Case | None]) -> str:
    """Why these are left out; "" where they are not. One answer alone has no orders that could disagree."""
    case = cases.get(said[0].item_id)
    if case is None or any(one.case_sha != case.judged.sha256 for one in said):
        return OUTDATED
    if any(one.reading != Verdict.Reading.OK for one in said):
        return UNREAD
    if chosen.judges == ALL or said[0].second is None:
        return ""
    if len(said) < 2:
        return ONE_ORDER
    if said[0].choice != said[1].choice:
        return ORDERS_DIFFER
    label = next(iter(case.judged.labels.get("human_label", ())), None)
    return AGAINST_PEOPLE if chosen.judges == AGREEING and label not in (None, said[0].choice) else ""


def _wordings(project: Project, kept: Sequence[Sequence[Verdict]]) -> Mapping[int, Wordings]:
    """run -> the wordings with which it was planned."""
    current = in_use(project)
    runs = Run.objects.filter(jobs__in={said[0].job_id for said in kept}).distinct()
    runs = runs.select_related("guideline").prefetch_related("prompts", "texts")
    return {run.pk: current.of_judging(run) for run in runs}


def _calls(verdicts: Sequence[Verdict]) -> Calls:
    """The last reply that could be read to each judgement, with what was asked."""
    found = Call.objects.filter(job__in={one.job_id for one in verdicts}, cause="").order_by("attempt")
    last: dict[tuple[int, str, int], Asked] = {}
    for job, step, request, reply in found.values_list("job", "step", "request", "reply").iterator(chunk_size=200):
        if (named := JUDGEMENT.fullmatch(step)) is not None:
            texts = blocks_in(request)
            given = {name: texts.get(name, "") for name in ("criterion", "guideline")}
            last[job, named["at"], int(named["place"])] = Asked(int(named["place"]), given, reply)
    by_job: dict[int, dict[str, list[Asked]]] = defaultdict(lambda: defaultdict(list))
    for (job, at, _place), asked in sorted(last.items(), key=lambda entry: entry[0]):
        by_job[job][at].append(asked)
    return by_job


def _steps(
    one: Verdict, case: Case, calls: Calls, wordings: Mapping[int, Wordings], left_out: Counter[str]
) -> Iterator[Example]:
    """In the order in which the judge was shown the answers, with its own words about them.

    Criteria and guidelines are taken from what the judge was given for its judgements: they may have been asked for by
    another job, or in the other order.
    """
    at = f"judge/{one.repeat}/swapped" if one.swapped else f"judge/{one.repeat}"
    judgements = calls.get(one.job_id or 0, {}).get(at, ())
    assert one.job is not None
    about = About(case.judged.messages, case.item.key, case.language, wordings[one.job.run_id], one.judge.name)
    numbered = COUNT.search(one.judge.variant)
    if not judgements or (numbered and RECOVERED not in one.judge.variant and len(judgements) < int(numbered[1])):
        left_out[NOT_KEPT] += 1
    elif RECOVERED not in one.judge.variant.split():
        yield from _own(about, judgements)
    for asked in judgements:
        yield from _judgement(about, one, asked)


def _own(about: About, judgements: Sequence[Asked]) -> Iterator[Example]:
    """The judge's criteria with their guidelines; those of the item are not its to teach."""
    found = [Criterion.read(asked.by["criterion"], asked.by["guideline"]) for asked in judgements]
    known = [one for one in found if one is not None]
    if len(known) == len(found):
        yield about.criteria(known)
    for one in known:
        yield about.guideline(one)


def _judgement(about: About, one: Verdict, asked: Asked) -> Iterator[Example]:
    """With labels kept, an answer is A or B in both orders, and only their places change."""
    if one.second is None:
        single = _read(asked.reply, Scored)
        if single is not None:
            yield about.judgement(asked.by, one.first.text, _whole(single))
        return
    pair = _read(asked.reply, Compared)
    if pair is None:
        return
    first, second = one.first.text, one.second.text
    kept = LABELS_KEPT in one.judge.variant.split()
    if one.swapped and not kept:
        first, second = second, first
    yield about.comparison(asked.by, first, second, _whole(pair), b_first=one.swapped and kept)


def _whole(said: Told) -> dict[str, Any]:
    """As JSON, whole scores without a point."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in said.model_dump().items()
    }


def _read(reply: str, answer: type[Answer]) -> Answer | None:
    try:
        found = read(Question("", [], answer), reply)
    except Unread:
        return None
    assert isinstance(found, answer)
    return found


def _preferred(said: Sequence[Verdict], case: Case) -> Iterator[Pair]:
    """Where both orders say that one of two answers is better, whatever the strategy."""
    one = said[0]
    if one.second is None or len({each.choice for each in said}) > 1 or len(said) < 2:
        return
    texts = {"first": one.first.text, "second": one.second.text}
    if one.choice not in texts or not all(text.strip() for text in texts.values()):
        return
    chosen = texts.pop(one.choice)
    (rejected,) = texts.values()
    if chosen != rejected:
        messages = case.judged.messages
        query, prompt = asked_text(messages), [dict(each) for each in messages]
        told = query if len(messages) == 1 else prompt
        yield Pair(query, told, chosen, rejected, "verdict", case.item.key, _called(one.judge))


def _called(judge: Judge) -> str:
    """In full where it was not fenced, so that nobody trains on what an answer may have ordered without knowing."""
    return str(judge) if judge.not_fenced else judge.name
