"""Training examples from verdicts: corrections by models, judges' own steps and preferences, and people's votes.

A correction was written by a model from a judge's low scores; it is paired with the answer that it corrects.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotate.engine.replies import Unread, parse_reply
from annotate.kinds.protocol import Question
from annotate.kinds.shapes import AnswerShape
from annotate.models import Call, Item, Job, Project, Run
from judging.answers.cases import Case, case_of
from judging.models import Answer as models_Answer
from judging.models import Judge, Verdict
from judging.ratings.preferences import training_pairs
from judging.strategies.branches.criterion_scores import Compared, Scored
from judging.training.chats import (
    AGREEING,
    ALL,
    NONE,
    PEOPLE,
    Example,
    TrainingChoice,
    TrainingPair,
    Wordings,
    conversation_text,
    in_use,
)
from judging.training.trees import ChatContext, TaughtCriterion
from lib.texts.fencing import LENGTH, blocks

ENDING = "+correction"
MODEL = "model"
STEP = "correction"
BOUNDARY = re.compile(rf"<data-([0-9a-f]{{{LENGTH}}})")


def correction_examples(project: Project, items: Sequence[Item], selection: TrainingChoice) -> Iterator[Example]:
    """Corrections of current texts, including those of trees if their answers have been judged."""
    if selection.judges == NONE or not project.kind.judges_answers:
        return
    answers = models_Answer.objects.current().filter(item__in=[item.pk for item in items], known=True).exclude(text="")
    corrected = list(answers.filter(author__name__endswith=ENDING).select_related("author").order_by("item", "pk"))
    item_ids = {answer.item_id for answer in corrected}
    if not item_ids:
        return
    originals = {
        (answer.item_id, answer.author.name, answer.sample): answer
        for answer in answers.filter(item__in=item_ids).select_related("author")
    }
    cases = {item.pk: case_of(item) for item in Item.objects.select_related("base", "project").filter(pk__in=item_ids)}
    jobs = {answer.job_id for answer in corrected if answer.job_id}
    blocks_by_job, wordings = _sent_texts(jobs), _correction_wordings(project, jobs)
    for correction in corrected:
        case = cases[correction.item_id]
        original = originals.get((correction.item_id, correction.author.name.removesuffix(ENDING), correction.sample))
        if case is None or original is None or original.text == correction.text or not original.text.strip():
            continue
        messages, source = case.judged.messages, MODEL if correction.job_id else PEOPLE
        query = conversation_text(messages)
        request_blocks = blocks_by_job.get(correction.job_id or 0, {})
        if request_blocks.get("answer") == original.text and request_blocks.get("judgements"):
            about = ChatContext(messages, case.item.key, case.language, wordings[correction.job_id or 0], source)
            yield about.correction(original.text, request_blocks["judgements"], correction.text)
        prompt = query if len(messages) == 1 else [dict(message) for message in messages]
        yield TrainingPair(query, prompt, correction.text, original.text, "correction", case.item.key, source)


def _sent_texts(jobs: Collection[int]) -> Mapping[int, Mapping[str, str]]:
    """job -> slot -> text given to its model, from the last request with a readable reply."""
    calls = Call.objects.filter(job__in=jobs, step=STEP, cause="").order_by("attempt") if jobs else Call.objects.none()
    return {job: blocks_in(request) for job, request in calls.values_list("job", "request")}


def _correction_wordings(project: Project, jobs: Collection[int]) -> Mapping[int, Wordings]:
    """job -> the wordings of its run."""
    job_rows = list(Job.objects.filter(pk__in=jobs).select_related("run"))
    by_run = {run.pk: in_use(project).of_correcting(run) for run in {job.run for job in job_rows}}
    return {job.pk: by_run[job.run_id] for job in job_rows}


def blocks_in(request: Mapping[str, Any]) -> dict[str, str]:
    """name -> text of the blocks of a stored request; empty if it has no fence."""
    whole = "\n".join(str(message.get("content", "")) for message in request.get("messages", ()))
    boundary = BOUNDARY.search(whole)  # the rule names it before any block
    return blocks(whole, boundary[1]) if boundary else {}


# Steps of our own judges in branches, read from the ledger of calls, and the answers that they preferred.


STEPWISE = {"branching", "branching-single"}  # others have no guideline to train on
UNREAD, ONE_ORDER, ORDERS_DIFFER = "unread verdict", "one order only", "orders disagree"
AGAINST_PEOPLE, OUTDATED, NOT_KEPT = "against people's label", "outdated verdict", "reply not kept with its job"
LABELS_KEPT, RECOVERED = "labels=kept", "criteria=recovered"  # in the variant of a judge
COUNT = re.compile(r"\bn=(\d+)")
JUDGEMENT = re.compile(r"(?P<at>judge/1(?:/swapped)?)/(?:pair|single)/(?P<place>\d+)")
Answer = TypeVar("Answer", bound=AnswerShape)


@dataclass(frozen=True)
class CriterionJudgement:
    """One judgement by one criterion. by: the texts of the criterion and the guideline that the judge was given."""

    place: int
    by: Mapping[str, str]
    reply: str


Calls = Mapping[int, Mapping[str, Sequence[CriterionJudgement]]]  # job -> path of an order -> its judgements, by place


def verdict_examples(
    project: Project, items: Sequence[Item], selection: TrainingChoice, skip_counts: Counter[str]
) -> Iterator[Example]:
    """Examples from each judge's first repeat, verdict by verdict."""
    if selection.judges == NONE or not project.kind.judges_answers:
        return
    by_pair = _by_pair(items)
    cases = _cases(project, items, by_pair)
    verdict_groups = [group for group in by_pair if _is_kept(group, selection, cases, skip_counts)]
    calls = _calls(
        [candidate for group in verdict_groups for candidate in group if candidate.judge.strategy in STEPWISE]
    )
    wordings = _judge_wordings(project, verdict_groups)
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
    verdicts: Sequence[Verdict], selection: TrainingChoice, cases: Mapping[int, Case | None], skip_counts: Counter[str]
) -> bool:
    why = _why_not(verdicts, selection, cases)
    skip_counts[why] += bool(why)
    return not why


def _why_not(verdicts: Sequence[Verdict], selection: TrainingChoice, cases: Mapping[int, Case | None]) -> str:
    """Why these are left out; "" if they are not. A single answer has no orders that could disagree."""
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


def _judge_wordings(project: Project, verdict_groups: Sequence[Sequence[Verdict]]) -> Mapping[int, Wordings]:
    """run -> the wordings with which it was planned."""
    current = in_use(project)
    runs = Run.objects.filter(jobs__in={verdicts[0].job_id for verdicts in verdict_groups}).distinct()
    runs = runs.select_related("guideline").prefetch_related("prompts", "texts")
    return {run.pk: current.of_judging(run) for run in runs}


def _calls(verdicts: Sequence[Verdict]) -> Calls:
    """The last readable reply for each judgement, with its request."""
    calls = Call.objects.filter(job__in={verdict.job_id for verdict in verdicts}, cause="").order_by("attempt")
    latest_judgements: dict[tuple[int, str, int], CriterionJudgement] = {}
    for job, step, request, reply in calls.values_list("job", "step", "request", "reply").iterator(chunk_size=200):
        if (step_match := JUDGEMENT.fullmatch(step)) is not None:
            texts = blocks_in(request)
            criterion_texts = {name: texts.get(name, "") for name in ("criterion", "guideline")}
            latest_judgements[job, step_match["at"], int(step_match["place"])] = CriterionJudgement(
                int(step_match["place"]), criterion_texts, reply
            )
    by_job: dict[int, dict[str, list[CriterionJudgement]]] = defaultdict(lambda: defaultdict(list))
    for (job, path, _place), judgement in sorted(latest_judgements.items(), key=lambda entry: entry[0]):
        by_job[job][path].append(judgement)
    return by_job


def _steps(
    verdict: Verdict, case: Case, calls: Calls, wordings: Mapping[int, Wordings], skip_counts: Counter[str]
) -> Iterator[Example]:
    """Examples in the order in which the judge saw the answers, in its own words.

    Criteria and guidelines come from the requests of its judgements: they may have been requested by another job, or in
    the other order.
    """
    path = f"judge/{verdict.repeat}/swapped" if verdict.swapped else f"judge/{verdict.repeat}"
    judgements = calls.get(verdict.job_id or 0, {}).get(path, ())
    assert verdict.job is not None
    about = ChatContext(
        case.judged.messages, case.item.key, case.language, wordings[verdict.job.run_id], verdict.judge.name
    )
    numbered = COUNT.search(verdict.judge.variant)
    if not judgements or (numbered and RECOVERED not in verdict.judge.variant and len(judgements) < int(numbered[1])):
        skip_counts[NOT_KEPT] += 1
    elif RECOVERED not in verdict.judge.variant.split():
        yield from _own_criteria(about, judgements)
    for judgement in judgements:
        yield from _judgement(about, verdict, judgement)


def _own_criteria(about: ChatContext, judgements: Sequence[CriterionJudgement]) -> Iterator[Example]:
    """The judge's criteria with their guidelines; criteria of the item are not the judge's, so they are no examples."""
    criteria = [TaughtCriterion.read(judgement.by["criterion"], judgement.by["guideline"]) for judgement in judgements]
    known_criteria = [criterion for criterion in criteria if criterion is not None]
    if len(known_criteria) == len(criteria):
        yield about.criteria(known_criteria)
    for criterion in known_criteria:
        yield about.guideline(criterion)


def _judgement(about: ChatContext, verdict: Verdict, judgement: CriterionJudgement) -> Iterator[Example]:
    """With labels kept, an answer is A or B in both orders, and only their places change."""
    if verdict.second is None:
        single = _read_reply(judgement.reply, Scored)
        if single is not None:
            yield about.judgement(judgement.by, verdict.first.text, _whole_numbers(single))
        return
    pair = _read_reply(judgement.reply, Compared)
    if pair is None:
        return
    first, second = verdict.first.text, verdict.second.text
    labels_kept = LABELS_KEPT in verdict.judge.variant.split()
    if verdict.swapped and not labels_kept:
        first, second = second, first
    yield about.comparison(judgement.by, first, second, _whole_numbers(pair), b_first=verdict.swapped and labels_kept)


def _whole_numbers(reply: AnswerShape) -> dict[str, Any]:
    """The reply as JSON, with whole scores as integers."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in reply.model_dump().items()
    }


def _read_reply(reply: str, answer: type[Answer]) -> Answer | None:
    try:
        reading = parse_reply(Question("", [], answer), reply)
    except Unread:
        return None
    assert isinstance(reading, answer)
    return reading


def _preferred(verdicts: Sequence[Verdict], case: Case) -> Iterator[TrainingPair]:
    """Pairs in which both orders prefer the same answer, whatever the strategy."""
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
        query, prompt = conversation_text(messages), [dict(message) for message in messages]
        pair_prompt = query if len(messages) == 1 else prompt
        yield TrainingPair(
            query, pair_prompt, chosen, rejected, "verdict", case.item.key, _judge_name(first_verdict.judge)
        )


def _judge_name(judge: Judge) -> str:
    """The judge's name, in full if not fenced, so that nobody unknowingly trains on what an answer may have ordered."""
    return str(judge) if judge.not_fenced else judge.name


# Pairs from people's votes: the same as `export_preferences` writes.


def vote_pairs(project: Project, skip_counts: Counter[str]) -> Iterator[TrainingPair]:
    """Pairs of the whole project: votes are about answers, whatever the state of the items."""
    for row in training_pairs(project, left_out=skip_counts):
        prompt = row["prompt"]
        query = prompt if isinstance(prompt, str) else conversation_text(prompt)
        if row["chosen"].strip() and row["rejected"].strip() and query.strip():
            yield TrainingPair(
                query, prompt, row["chosen"], row["rejected"], "votes", "", margin=row["margin"], votes=row["votes"]
            )
