from typing import Any

import pytest
from django.utils import timezone
from pydantic import ValidationError
from pytest_django import DjangoAssertNumQueries

from annotate.engine.purposes import Case, purposes
from annotate.kinds.protocol import CallFailed, CandidatePrompt, Cause, Prompts, Question, Reply
from annotate.models import Item, Job, Project, Run
from judging.models import Answer, Author
from judging.purposes.answer_runs import MOST_TOKENS, AnswerOptions, question_for
from tests.support.judged import CORRECTION, MAINTENANCE, answer_of, decided_item
from tests.support.people import make_item, make_project
from tests.support.running import run
from tests.support.runs import make_endpoint, make_run

pytestmark = pytest.mark.django_db
ANSWER = purposes()["answer"]


class Candidate:
    """An `ask` that always says the same, and remembers what it was asked."""

    def __init__(self, text: str = "Two moons.") -> None:
        self.text, self.asked = text, list[Question]()

    async def __call__(self, question: Question, /) -> Reply:
        self.asked.append(question)
        return Reply(self.text)


def planned(project: Project, *, endpoint: dict[str, Any] | None = None, **options: Any) -> Run:
    asked = {"author": "Model A", **options}
    return make_run(project, purpose="answer", options=asked, endpoint=make_endpoint(**endpoint or {}))


def cases(made: Run) -> list[Case]:
    jobs = [
        Job.objects.get_or_create(run=made, subject=one.subject, item_id=one.item_id)[0] for one in ANSWER.plan(made)
    ]
    return ANSWER.load(made, jobs, Prompts({}))


def worked(made: Run, candidate: Candidate | None = None) -> None:
    for case in cases(made):
        ANSWER.store(case, run(ANSWER.work(case, candidate or Candidate())))


def test_every_decided_item_gets_a_job_for_each_sample() -> None:
    project = make_project()
    kept = [decided_item(project, CORRECTION), decided_item(project, MAINTENANCE)]
    make_item(project)
    Item.objects.filter(pk=decided_item(project, CORRECTION).pk).update(purpose="gold")
    Item.objects.filter(pk=decided_item(project, CORRECTION).pk).update(state="dropped", drop_reason="other")
    decided_item(make_project(), CORRECTION)
    found = [(one.item_id, one.subject) for one in ANSWER.plan(planned(project, samples=2))]
    assert found == [(item.pk, f"item/{item.pk}/{sample}") for item in kept for sample in (1, 2)]


def test_filters_of_the_run_are_kept() -> None:
    project = make_project()
    english, chinese = decided_item(project, CORRECTION), decided_item(project, CORRECTION)
    Item.objects.filter(pk=chinese.pk).update(language="zh")
    assert [one.item_id for one in ANSWER.plan(planned(project, items={"language": "zh"}))] == [chinese.pk]
    assert english.pk != chinese.pk


def test_a_candidate_is_asked_the_conversation_and_nothing_of_ours() -> None:
    item = decided_item(make_project(), CORRECTION, task_type="Text Creation", sub_task_type="Generation")
    candidate = Candidate()
    worked(planned(item.project), candidate)
    (question,) = candidate.asked
    assert [dict(message) for message in question.messages] == [
        {"role": "user", "content": item.facts["user_query"]},
        {"role": "assistant", "content": item.facts["origin_first_response"]},
        {"role": "user", "content": CORRECTION["feedback"]},
    ]
    assert (question.answer, question.temperature, question.max_tokens) == (None, 0.7, MOST_TOKENS)


@pytest.mark.parametrize(
    ("options", "temperature"),
    [({}, 0.7), ({"temperature": "service"}, None), ({"temperature": "number", "number": 0.3}, 0.3)],
)
def test_the_temperature_is_the_projects_the_services_or_a_number(options: dict[str, Any], temperature: float) -> None:
    asked = CandidatePrompt([{"role": "user", "content": "Hi"}], temperature=0.7)
    chosen = AnswerOptions(author="A", **options)
    assert question_for(asked, chosen, None).temperature == temperature


def test_options_are_told_in_the_words_of_the_form() -> None:
    made = planned(make_project(), samples=2, temperature="service", family="", limit=3)
    assert {name: str(value) for name, value in ANSWER.told_options(made).items()} == {
        "Author": "Model A",
        "Answers per item": "2",
        "Temperature": "default of the service",
    }


@pytest.mark.parametrize("options", [{"temperature": "number"}, {"number": 1}, {"samples": 0}, {"author": " "}])
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnswerOptions(**{"author": "A"} | options)


def test_what_is_left_of_the_context_is_for_the_answer() -> None:
    asked, chosen = CandidatePrompt([{"role": "user", "content": "x" * 400}]), AnswerOptions(author="A")
    # 400 characters are 100 tokens, with 4 for the message and 1 for the answer's shape that is not there: "".
    assert question_for(asked, chosen, 605).max_tokens == 500
    assert question_for(asked, chosen, 100_000).max_tokens == MOST_TOKENS
    with pytest.raises(CallFailed, match="about 105 tokens, which leaves no room in the context of 105") as failed:
        question_for(asked, chosen, 105)
    assert failed.value.cause == Cause.TOO_LONG


def test_an_answer_is_kept_with_its_job_and_its_author_is_made() -> None:
    item = decided_item(make_project(), CORRECTION)
    made = planned(item.project, endpoint={"simulated": True}, family="F", provider="P", sort="search", samples=2)
    worked(made)
    first, second = Answer.objects.order_by("sample")
    assert (first.item, first.sample, first.version, first.text) == (item, 1, 1, "Two moons.")
    assert (first.simulated, first.source, first.job.run if first.job else None) == (True, "", made)
    assert (second.sample, second.job != first.job) == (2, True)
    author = Author.objects.get()
    assert (author.name, author.sort, author.family, author.provider) == ("Model A", "search", "F", "P")
    assert ANSWER.outcomes(made, [item.pk]) == {item.pk: {1: "Two moons.", 2: "Two moons."}}


def test_only_another_text_is_another_version() -> None:
    item = decided_item(make_project(), CORRECTION)
    made = planned(item.project)
    worked(made)
    worked(made)
    worked(planned(item.project))
    assert Answer.objects.count() == 1
    worked(planned(item.project), Candidate("Phobos and Deimos."))
    assert list(Answer.objects.order_by("version").values_list("version", "text")) == [
        (1, "Two moons."),
        (2, "Phobos and Deimos."),
    ]


def test_reading_a_finished_run_again_changes_nothing_that_came_later() -> None:
    item = decided_item(make_project(), CORRECTION)
    made = planned(item.project)
    worked(made)
    Job.objects.filter(run=made).update(state="done", ended_at=timezone.now())
    answer_of(item, "Model A", version=2, text="Imported later.")
    worked(made)
    assert Answer.objects.count() == 2
    Answer.objects.filter(version=2).delete()
    worked(made, Candidate("As another parser reads it."))
    assert Answer.objects.get(version=2).text == "As another parser reads it."


def test_an_item_that_was_reopened_meanwhile_is_unsuitable() -> None:
    item = decided_item(make_project(), CORRECTION)
    made = planned(item.project)
    list(cases(made))
    Item.objects.filter(pk=item.pk).update(state="ready")
    (case,) = ANSWER.load(made, list(made.jobs.all()), Prompts({}))
    with pytest.raises(CallFailed) as failed:
        run(ANSWER.work(case, Candidate()))
    assert failed.value.cause == Cause.UNSUITABLE


def test_loading_takes_two_queries_however_many_jobs(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    project = make_project()
    for _ in range(5):
        decided_item(project, CORRECTION)
    made = planned(project)
    cases(made)
    made, jobs = Run.objects.select_related("project", "endpoint").get(pk=made.pk), list(made.jobs.all())
    with django_assert_num_queries(2):
        assert len(ANSWER.load(made, jobs, Prompts({}))) == 5
