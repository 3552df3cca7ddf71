"""What our own judges said in branches, step by step out of the ledger of calls; and which answers they preferred."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotate.kinds.shapes import Told
from annotate.llm.asking import Question
from annotate.llm.reading import Unread, read
from annotate.models import Call, Item, Project
from judging.models import Verdict
from judging.services.cases import Case, case_of
from judging.services.training.base import AGREEING, ALL, NONE, Chosen, Example, Pair, asked_text
from judging.services.training.steps import About, Criterion
from judging.strategies.branches.told import Compared, Criteria, Levels, Scored

STEPWISE = {"branching", "branching-single"}  # others have no guideline to train with
UNREAD, ONE_ORDER, ORDERS_DIFFER = "unread verdict", "one order only", "orders disagree"
AGAINST_PEOPLE, OUTDATED, NOT_KEPT = "against people's label", "outdated verdict", "reply not kept with its job"
LABELS_KEPT, RECOVERED = "labels=kept", "criteria=recovered"  # in the variant of a judge
Step = tuple[int, str]  # job, step
Numbered = tuple[int, Criterion]
Answer = TypeVar("Answer", bound=Told)


@dataclass(frozen=True)
class Calls:
    """replies: the last one that could be read; questions: what was asked, of judges that went by criteria of items."""

    replies: Mapping[Step, str]
    questions: Mapping[Step, str]


def examples(project: Project, items: Sequence[Item], chosen: Chosen, left_out: Counter[str]) -> Iterator[Example]:
    """Of each judge's first repeat, verdict by verdict."""
    if chosen.judges == NONE or not project.kind.judges_answers:
        return
    by_pair = _by_pair(items)
    cases = _cases(project, items, by_pair)
    kept = [said for said in by_pair if _is_kept(said, chosen, cases, left_out)]
    calls = _calls([one for said in kept for one in said if one.judge.strategy in STEPWISE])
    for said in kept:
        case = cases[said[0].item_id]
        assert case is not None
        for one in said:
            if one.judge.strategy in STEPWISE:
                yield from _steps(one, case, calls, left_out)
        yield from _preferred(said, case)


def _by_pair(items: Sequence[Item]) -> list[list[Verdict]]:
    """The verdicts of one job about one answer or pair, each order once."""
    found = Verdict.objects.filter(item__in=[item.pk for item in items], job__isnull=False, repeat=1)
    by_pair: dict[Any, list[Verdict]] = defaultdict(list)
    for one in found.select_related("judge", "first", "second").order_by("item", "job", "swapped"):
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


def _calls(verdicts: Sequence[Verdict]) -> Calls:
    found = Call.objects.filter(job__in={one.job_id for one in verdicts}, cause="").order_by("attempt")
    replies = {(job, step): reply for job, step, reply in found.values_list("job", "step", "reply")}
    by_approved = {one.job_id for one in verdicts if RECOVERED in one.judge.variant.split()}
    asked = found.filter(job__in=by_approved).values_list("job", "step", "request") if by_approved else ()
    return Calls(replies, {(job, step): _question(request) for job, step, request in asked})


def _question(request: Mapping[str, Any]) -> str:
    return "\n".join(str(each.get("content", "")) for each in request.get("messages", ()))


def _steps(one: Verdict, case: Case, calls: Calls, left_out: Counter[str]) -> Iterator[Example]:
    """In the order in which the judge was shown the answers, with its own words about them."""
    at = f"judge/{one.repeat}/swapped" if one.swapped else f"judge/{one.repeat}"
    about = About(asked_text(case.judged.messages), case.item.key, case.language, one.judge.name)
    is_own = RECOVERED not in one.judge.variant.split()
    found = _own(one, calls, at) if is_own else _approved(one, case, calls, at)
    if found is None:
        left_out[NOT_KEPT] += 1
        return
    if found and is_own:
        yield about.criteria([by for _place, by in found])
    for place, by in found:
        if is_own:
            yield about.guideline(by)
        yield from _judgement(about, one, by, calls, f"{at}/{{}}/{place}")


def _own(one: Verdict, calls: Calls, at: str) -> list[Numbered] | None:
    """The judge's criteria with their guidelines; None where its replies are not kept with its job."""
    named = _read(calls, one, f"{at}/criteria", Criteria)
    if named is None:
        return None
    found = []
    for place, each in enumerate((each for each in named.criteria if each.description.strip()), start=1):
        levels = _read(calls, one, f"{at}/guideline/{place}", Levels)
        if levels is not None and each.name.strip() and all(words.strip() for words in levels.in_order()):
            found.append((place, Criterion(each.name.strip(), each.description.strip(), levels.in_order())))
    return found


def _approved(one: Verdict, case: Case, calls: Calls, at: str) -> list[Numbered]:
    """Those of the item, which are not the judge's to teach, as far as they are the ones that it went by."""
    numbered = [
        (place, Criterion(each.name, each.description, each.levels))
        for place, each in enumerate(case.judged.criteria, start=1)
    ]
    step = "single" if one.second is None else "pair"
    asked = {place: calls.questions.get((one.job_id or 0, f"{at}/{step}/{place}"), "") for place, _by in numbered}
    return [
        (place, by) for place, by in numbered if by.levels and by.text in asked[place] and by.guideline in asked[place]
    ]


def _judgement(about: About, one: Verdict, by: Criterion, calls: Calls, at: str) -> Iterator[Example]:
    if one.second is None:
        single = _read(calls, one, at.format("single"), Scored)
        if single is not None:
            yield about.judgement(by, one.first.text, _whole(single))
        return
    pair = _read(calls, one, at.format("pair"), Compared)
    if pair is not None:
        yield about.comparison(by, _shown(one, one.first.text, one.second.text), _whole(pair))


def _shown(one: Verdict, first: str, second: str) -> dict[str, str]:
    """The answers from the top, each under the name by which the judge knew it: see `labels` of the strategy."""
    if not one.swapped:
        return {"first": first, "second": second}
    return (
        {"second": second, "first": first}
        if LABELS_KEPT in one.judge.variant.split()
        else {"first": second, "second": first}
    )


def _whole(said: Told) -> dict[str, Any]:
    """As JSON, whole scores without a point."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in said.model_dump().items()
    }


def _read(calls: Calls, one: Verdict, step: str, answer: type[Answer]) -> Answer | None:
    reply = calls.replies.get((one.job_id or 0, step))
    if reply is None:
        return None
    try:
        found = read(Question(step, [], answer), reply)
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
        yield Pair(query, told, chosen, rejected, "verdict", case.item.key, one.judge.name)
