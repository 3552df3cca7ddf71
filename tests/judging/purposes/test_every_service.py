"""Every purpose and every way of judging at every service of today: nothing fails, and refusals are paid for once."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from annotate.engine import prompts
from annotate.engine.prompts import Key
from annotate.models import Annotation, Call, Endpoint, Item, Project, Run
from annotate.runs import actions, execution
from annotate.runs.plan import plan_run
from judging.answers.cases import case_of
from judging.answers.store import ensure, trusted
from judging.models import Answer, Author, Verdict
from judging.strategies.strategy import strategies
from lib.simulated.profiles import DEFAULT_PROFILE, PROFILES
from lib.texts.raw_messages import RawMessages
from tests.annotate.engine.conftest import at_once
from tests.support.branched import answers_there, branching_project, compared, decided_pair, pair_judge
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.model_server import ModelServer
from tests.support.people import make_item, make_project
from tests.support.perturbations import perturbation_project, perturbed_item, spoiled_pairs
from tests.support.runs import make_endpoint
from tests.support.trees import PAIR
from tests.support.use_cases import decided_case, use_case_project

__all__ = ["at_once"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_once"), pytest.mark.slow]
# The three trained evaluators answer in their own words only: they are asked by raw messages.
SERVICES = sorted(name for name, profile in PROFILES.items() if not profile.evaluator)
# The most requests that one endpoint may have refused before everything works.
MOST_REFUSALS = {"gpt-5": 2, "o-series": 3, "vllm": 2, "vllm-0.10": 2, DEFAULT_PROFILE: 0, "ollama": 0}


class Work(NamedTuple):
    purpose: str
    project: Project
    options: dict[str, Any]


def feedback() -> Iterator[Work]:
    project = make_project()
    make_item(project)
    yield Work("classify", project, {})
    yield Work("preannotate", project, {})
    judged = make_project()
    for draft in (CORRECTION, MAINTENANCE):
        answer_of(decided_item(judged, draft), "A", text="Mars has two moons: Phobos and Deimos.")
    yield Work("answer", judged, {"author": "B"})
    yield Work("judge", judged, {"strategy": "checklist", "authors": ["A"]})
    yield Work("arithmetic", judged, {"longest": 2, "each": 1})


def perturbations() -> Iterator[Work]:
    prompts, into = make_project(kind_slug="prompt"), perturbation_project()
    make_item(prompts, facts={"prompt": "How many legs has a spider?"})
    yield Work("gold_answers", prompts, {})
    source = make_project(kind_slug="prompt")
    item = make_item(source, facts={"prompt": "How long is it?", "gold_answer": "The canal is 82 km long."})
    draft = {"ability": "factual", "gold_verdict": "right", "edited_answer": "", "note": ""}
    base = Annotation.objects.create(item=item, draft=draft, rater="import")
    Item.objects.filter(pk=item.pk).update(state="accepted", base=base)
    yield Work("perturb", source, {"into": into.slug, "categories": ["number-errors"]})
    judged = perturbation_project()
    perturbed_item(judged, next(spoiled_pairs(1)))
    ensure(judged)
    for strategy in strategies().values():
        if strategy.family in ("single", "pairwise"):
            pairs = {"pairs": "gold-perturbed"} if strategy.pairwise else {}
            reference = {"reference": "gold"} if strategy.needs_reference else {}
            yield Work("judge", judged, {"strategy": strategy.slug} | pairs | reference)
    yield Work("explanations", _explained(), {})


def _explained() -> Project:
    """A verdict that counted no mistake, with its reason."""
    project = perturbation_project()
    perturbed_item(project, next(spoiled_pairs(1)))
    ensure(project)
    judge = project.judges.create(name="careless", strategy="vanilla", variant="scale=1-10")
    for answer in Answer.objects.filter(item__project=project).select_related("item__base", "item__project", "author"):
        case = case_of(answer.item)
        assert case is not None
        columns = {"item": answer.item, "case_sha": case.judged.sha256, "reason": "It is right."}
        Verdict.objects.create(judge=judge, first=answer, score_first=10, **columns)
    return project


def use_cases() -> Iterator[Work]:
    project = use_case_project()
    answer_of(decided_case(project), "A", text="With cold water.")
    ensure(project)
    yield Work("judge", project, {"strategy": "intent", "authors": ["A"], "reference": trusted(project)})


def branching() -> Iterator[Work]:
    project = branching_project(options={"criteria": 2})
    make_item(project, facts=PAIR)
    yield Work("preannotate", project, {})
    decided = branching_project(options={"criteria": 2})
    item = decided_pair(decided)
    answers_there(decided)
    for strategy in ("branching", "branching-single", "branch-solve-merge", "branching-one-step"):
        pairs = {"pairs": "all"} if strategies()[strategy].pairwise else {}
        yield Work("judge", decided, {"strategy": strategy} | pairs)
    compared(item, pair_judge(decided), [(1, 5), (2, 4), (1, 4)])
    yield Work("correct", decided, {"judge": "judge-m"})


def works() -> Iterator[Work]:
    for part in (feedback, perturbations, use_cases, branching):
        yield from part()


ASKED = "###The instruction to evaluate:\n{{ question }}\n\n"
JUDGELM = "[The Start of Assistant {n}'s Answer]\n{text}\n[The End of Assistant {n}'s Answer]\n\n"
# evaluator -> its reader, the scale it was trained on, and a lead's own words about one answer and about two.
EVALUATORS = {
    "prometheus-2": (
        "prometheus",
        "1-5",
        ASKED + "###Response to evaluate:\n{{ answer }}\n\n###Feedback:",
        ASKED + "###Response A:\n{{ answer }}\n\n###Response B:\n{{ second }}\n\n###Feedback:",
    ),
    "auto-j": (
        "auto-j",
        "1-10",
        "[Query]: {{ question }}\n***\n[Response]: {{ answer }}\n***",
        "[Query]: {{ question }}\n***\n[Response 1]: {{ answer }}\n***\n[Response 2]: {{ second }}\n***",
    ),
    "judgelm": (
        "judgelm",
        "1-10",
        "[Question]\n{{ question }}\n\n" + JUDGELM.format(n=1, text="{{ answer }}"),
        "[Question]\n{{ question }}\n\n"
        + JUDGELM.format(n=1, text="{{ answer }}")
        + JUDGELM.format(n=2, text="{{ second }}"),
    ),
}


def raw_judges(evaluator: str) -> Iterator[Work]:
    """One strategy of single answers and one of pairs, in the evaluator's own words."""
    reader, scale, alone, pair = EVALUATORS[evaluator]
    project = perturbation_project()
    perturbed_item(project, next(spoiled_pairs(1)))
    ensure(project)
    for family, text in (("single", alone), ("pairwise", pair)):
        key = Key(family, "explained", "en")
        text = RawMessages(reader, text, system="You are a fair judge.").text()
        prompts.write(project, key, text=text, note="", by=None, based_on=prompts.newest_number(project, key))
    yield Work("judge", project, {"strategy": "vanilla", "scale": scale})
    yield Work("judge", project, {"strategy": "pairwise", "pairs": "gold-perturbed"})


def endpoint_of(server: ModelServer, profile: str) -> Endpoint:
    server.turn(profile=profile)
    if not PROFILES[profile].by_deployment:
        return make_endpoint(base_url=server.base_url, model="simulated-strong", max_in_flight=4)
    address = server.base_url.removesuffix("/v1") + "/openai/deployments/simulated-strong"
    azure = {"api_version": "2024-06-01", "key_env": "AZURE_MODEL_KEY"}
    return make_endpoint(base_url=address, model="simulated-strong", max_in_flight=4, **azure)


def worked(work: Work, endpoint: Endpoint) -> Run:
    run = plan_run(
        project=work.project, purpose=work.purpose, endpoint=endpoint, by=None, options=work.options, limit=2
    )
    actions.start(run, None, ring=False)
    execution.work(run)
    return run


@pytest.mark.parametrize("profile", SERVICES)
def test_every_purpose_works_at_every_service(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    monkeypatch.setenv("AZURE_MODEL_KEY", "any")
    endpoint, table = endpoint_of(model_server, profile), []
    for work in works():
        progress = execution.progress(worked(work, endpoint))
        what = f"{work.purpose} {work.options.get('strategy', '')}".strip()
        table.append((what, progress.done, progress.causes))
    assert [row for row in table if row[2]] == []
    assert [row for row in table if not row[1]] == []
    unread = Verdict.objects.exclude(reading=Verdict.Reading.OK)
    assert [(verdict.judge.strategy, verdict.note) for verdict in unread] == []
    refused = Call.objects.filter(job__run__endpoint=endpoint, adapted=True).count()
    assert refused <= MOST_REFUSALS.get(profile, 1)
    assert Author.objects.exists()


@pytest.mark.parametrize("evaluator", EVALUATORS)
def test_trained_evaluators_are_asked_and_read_in_their_own_words(model_server: ModelServer, evaluator: str) -> None:
    endpoint = endpoint_of(model_server, evaluator)
    for work in raw_judges(evaluator):
        run = worked(work, endpoint)
        progress = execution.progress(run)
        assert (progress.causes, progress.done > 0) == ({}, True)
        verdicts = Verdict.objects.filter(job__run=run)
        assert [verdict.note for verdict in verdicts if verdict.reading != Verdict.Reading.OK] == []
        assert verdicts.count() >= progress.done
