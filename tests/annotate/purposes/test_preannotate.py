import pytest
from pytest_django import DjangoAssertNumQueries

from annotate.definitions.templates import all_templates
from annotate.engine.purposes import Case, purposes
from annotate.kinds.protocol import CallFailed, Cause, Prompts
from annotate.models import Annotation, Classification, Endpoint, Item, Job, Project, Run, Slot
from annotate.project import actions
from annotate.project.actions import create_project
from annotate.purposes.preannotate import summary
from annotate.runs.plan import plan_run, prompts_of
from tests.support.desks import worker
from tests.support.files import command
from tests.support.people import DRAFT, FACTS, make_item, make_project
from tests.support.running import run
from tests.support.scripted import CORRECTION, MAINTENANCE, Script, shipped

pytestmark = pytest.mark.django_db
PREANNOTATE = purposes()["preannotate"]
PROMPTS = shipped("feedback")
SUMMARY = all_templates()["summary"].definition


def make_run(project: Project, purpose: str = "preannotate", **columns: object) -> Run:
    endpoint, _made = Endpoint.objects.get_or_create(
        name="paper", defaults={"base_url": "http://127.0.0.1:9/v1", "model": "drafter-b", "simulated": True}
    )
    return Run.objects.create(project=project, endpoint=endpoint, purpose=purpose, state="running", **columns)


def cases(planned: Run) -> list[Case]:
    purpose = purposes()[planned.purpose]
    jobs = [
        Job.objects.get_or_create(run=planned, subject=one.subject, item_id=one.item_id)[0]
        for one in purpose.plan(planned)
    ]
    return purpose.load(planned, jobs, PROMPTS)


def worked(planned: Run, script: Script | None = None) -> None:
    purpose = purposes()[planned.purpose]
    for case in cases(planned):
        purpose.store(case, run(purpose.work(case, script or Script(CORRECTION))))


def waiting_item(project: Project, **columns: object) -> Item:
    return Item.objects.create(project=project, **({"key": "w", "facts": FACTS, "content_hash": "w"} | columns))


def test_every_item_that_nobody_has_decided_gets_one_job_whatever_its_draft_holds() -> None:
    project = make_project()
    kept = [waiting_item(project), make_item(project, suggestion=DRAFT), make_item(project, state="imported")]
    for state, reason in (("accepted", ""), ("dropped", "other")):
        waiting_item(project, key=state, state=state, drop_reason=reason)
    make_item(make_project())
    planned = list(PREANNOTATE.plan(make_run(project)))
    assert [one.item_id for one in planned] == [item.pk for item in kept]
    assert len({one.subject for one in planned}) == 3


def test_filters_and_limit_of_the_run_are_kept() -> None:
    project = make_project()
    for number in range(4):
        make_item(project, language="zh" if number % 2 else "en")
    assert len(list(PREANNOTATE.plan(make_run(project, options={"items": {"language": "zh"}})))) == 2
    assert len(list(PREANNOTATE.plan(make_run(project, options={"limit": 3})))) == 3


def test_the_suggestion_says_where_it_comes_from() -> None:
    project = make_project()
    item = make_item(project, language="en")
    planned = make_run(project)
    worked(planned, Script(CORRECTION | {"deficiencies": {"deficiencies": []}}))
    made = Annotation.objects.get(item=item)
    assert (made.run, made.model, made.simulated) == (planned, "drafter-b", True)
    assert made.prompt_version == "v1 en"
    assert (made.author, made.slot, made.submitted_at) == (None, None, None)
    assert made.draft["feedback"] == "Are you sure? I count one fewer."
    assert made.doubts == [
        {"path": "error_type", "message": "the model chose none.", "source": "check", "said": {}},
    ]


def test_an_item_that_waited_for_it_is_ready_and_in_the_queue() -> None:
    item = waiting_item(make_project(waits_for_suggestion=True, overlap=2, reviews=0))
    worked(make_run(item.project))
    item.refresh_from_db()
    assert item.state == "ready"
    assert Slot.objects.open().filter(item=item, stage="annotate").count() == 2


def test_what_a_person_is_writing_stays_and_keeps_its_suggestion() -> None:
    ada = worker(items=1)
    slot = ada.opened()
    ada.post("work_save", slot, feedback="Mine.")
    before = Annotation.objects.filter(pk=ada.annotation(slot).pk).values().get()
    worked(make_run(ada.project))
    assert Annotation.objects.filter(pk=before["id"]).values().get() == before
    assert Annotation.objects.exclude(model="").count() == 2


def test_another_run_makes_another_suggestion_and_the_same_outcome_is_kept_once() -> None:
    project = make_project()
    make_item(project)
    first = make_run(project)
    worked(first)
    worked(first)
    assert Annotation.objects.count() == 1
    worked(make_run(project))
    assert Annotation.objects.count() == 2


def test_another_reading_of_the_same_replies_is_another_suggestion() -> None:
    project = make_project()
    make_item(project)
    planned = make_run(project)
    worked(planned)
    first = Annotation.objects.values().get()
    worked(planned, Script(CORRECTION | {"feedback": {"feedback": "Count again.", "types": []}}))
    assert Annotation.objects.filter(pk=first["id"]).values().get() == first
    assert Annotation.objects.latest("id").draft["feedback"] == "Count again."


def test_a_label_that_people_have_given_since_is_not_another_reading() -> None:
    project = make_project()
    item = make_item(project)
    planned = make_run(project)
    worked(planned)
    label = {"task_type": "Coding", "sub_task_type": "Code Debugging"}
    Item.objects.filter(pk=item.pk).update(base=Annotation.objects.create(item=item, rater="paul", draft=DRAFT | label))
    worked(planned)
    assert Annotation.objects.filter(item=item, run=planned).count() == 1


def test_candidates_are_kept_with_the_suggestion() -> None:
    project = make_project()
    make_item(project, facts={**FACTS, "bench_type": "Response Maintenance"})
    planned = make_run(project)
    worked(planned, Script(MAINTENANCE))
    made = Annotation.objects.get()
    assert len(made.candidates) == 8
    assert made.candidates[0] == {
        "label": "Simple Questioning",
        "draft": {"feedback": "No. 1: really?", "feedback_type": ["Simple Questioning"]},
    }
    assert PREANNOTATE.outcomes(planned, [made.item_id])[made.item_id]["candidates"] == made.candidates


def test_the_task_is_the_one_that_is_known_already() -> None:
    project = make_project()
    suggested, classified, unknown = (make_item(project, suggestion=draft) for draft in (DRAFT, DRAFT, None))
    Classification.objects.create(
        item=classified, run=make_run(project, "classify"), label="Coding;Code Debugging", group="Coding"
    )
    worked(make_run(project))
    task = {one.item_id: (one.draft["task_type"], one.draft["sub_task_type"]) for one in Annotation.objects.all()}
    assert task == {
        suggested.pk: ("Knowledge Q&A", "Objective Facts"),
        classified.pk: ("Coding", "Code Debugging"),
        unknown.pk: ("", ""),
    }


def test_facts_that_do_not_read_fail_with_a_cause_and_no_question() -> None:
    project = make_project()
    make_item(project, facts={"bench_type": "Error Correction"})
    script = Script(CORRECTION)
    (case,) = cases(make_run(project))
    with pytest.raises(CallFailed) as failed:
        run(PREANNOTATE.work(case, script))
    assert (failed.value.cause, script.asked) == (Cause.UNSUITABLE, [])


def test_a_step_without_a_reply_leaves_no_suggestion() -> None:
    project = make_project()
    make_item(project)
    with pytest.raises(CallFailed):
        worked(make_run(project), Script({}))
    assert not Annotation.objects.exists()


def test_loading_takes_as_few_queries_for_many_jobs_as_for_one(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    project = make_project()
    for _ in range(20):
        make_item(project, suggestion=DRAFT)
    planned = make_run(project)
    jobs = [Job.objects.create(run=planned, subject=one.subject, item_id=one.item_id)
            for one in PREANNOTATE.plan(planned)]  # fmt: skip
    with django_assert_max_num_queries(4):
        PREANNOTATE.load(planned, jobs, PROMPTS)


def test_working_reads_nothing_from_the_database(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    project = make_project()
    make_item(project)
    (case,) = cases(make_run(project))
    with django_assert_max_num_queries(0):
        run(PREANNOTATE.work(case, Script(CORRECTION)))


def test_calls_are_expected_by_what_the_items_are() -> None:
    project = make_project()
    make_item(project)
    make_item(project, facts={**FACTS, "bench_type": "Response Maintenance"})
    project.options = {"feedback_types": {"Response Maintenance": ["A", "B"], "Error Correction": ["C"]}}
    project.save()
    planned = make_run(Project.objects.get(pk=project.pk))
    cases(planned)
    assert PREANNOTATE.calls_expected(planned) == (5 + 3) / 2


def test_the_version_of_the_guidelines_stands_behind_the_usual_one() -> None:
    at = {("reference", "en"): 1, ("feedback", "en"): 3}
    prompts = Prompts(dict.fromkeys(at, "text"), at, guidelines="Be kind.", guideline_version=4)
    assert summary(prompts, ["reference", "feedback"], "en") == "v1 en, guidelines v4, feedback v3"


def test_a_run_keeps_the_guidelines_of_the_day_it_was_planned_and_its_drafts_say_which() -> None:
    project = make_project()
    item = make_item(project, language="en")
    actions.write_guideline(project, text="# All\n## Checks {fields: checklist}\nOld.", note="", by=None, based_on=0)
    planned = plan_run(project=project, purpose="preannotate", endpoint=make_run(project).endpoint, by=None)
    actions.write_guideline(project, text="New.", note="", by=None, based_on=1)
    kept = prompts_of(Run.objects.get(pk=planned.pk))
    assert (kept.guidelines, kept.guideline_version) == ("# All\n\n## Checks\nOld.", 1)
    [case] = PREANNOTATE.load(planned, list(planned.jobs.all()), kept)
    script = Script(CORRECTION)
    PREANNOTATE.store(case, run(PREANNOTATE.work(case, script)))
    assert "Old." in script.said("checklist")
    assert Annotation.objects.get(item=item).prompt_version == "v1 en, guidelines v1"
    assert "guidelines" not in planned.options


def test_runs_whose_models_read_no_guidelines_keep_none() -> None:
    project = make_project()
    make_item(project)
    actions.write_guideline(project, text="Be kind.", note="", by=None, based_on=0)
    endpoint = make_run(project).endpoint
    assert plan_run(project=project, purpose="classify", endpoint=endpoint, by=None).guideline is None
    bare = make_project()
    make_item(bare)
    assert plan_run(project=bare, purpose="preannotate", endpoint=endpoint, by=None).guideline is None


@pytest.mark.parametrize(
    ("versions", "told"),
    [
        ({("reference", "en"): 2, ("feedback", "en"): 2}, "v2 en"),
        ({("reference", "en"): 1, ("feedback", "en"): 3, ("checklist", "en"): 1}, "v1 en, feedback v3"),
        ({}, ""),
    ],
)
def test_versions_are_told_in_few_words(versions: dict[tuple[str, str], int], told: str) -> None:
    prompts = Prompts(dict.fromkeys(versions, "text"), versions)
    assert summary(prompts, ["reference", "feedback", "checklist"], "en") == told
    assert len(summary(Prompts({}, {(f"a-rather-long-step-{n}", "en"): n for n in range(9)}),
                       [f"a-rather-long-step-{n}" for n in range(9)], "en")) <= 80  # fmt: skip


def test_only_own_questions_can_be_asked_one_by_one() -> None:
    code_kind, own = make_project(slug="fb"), create_project(slug="own", kind="form", definition=SUMMARY)
    offered = [list(PREANNOTATE.options_in(project, {}).model_fields) for project in (code_kind, own)]
    assert offered == [[], ["one_by_one"]]
    make_run(own)
    code, _told, err = command("preannotate", "fb", "--endpoint", "paper", "--one-by-one")
    assert (code, "has no own questions" in err) == (1, True)


def test_calls_are_estimated_for_one_call_per_question() -> None:
    project = create_project(slug="own", kind="form", definition=SUMMARY)
    facts = dict.fromkeys(project.kind.needed_facts, "Text.")
    item = Item.objects.create(project=project, key="k", facts=facts, content_hash="k", state="ready")
    expected = {}
    for one_by_one in (False, True):
        planned = make_run(project, options={"one_by_one": one_by_one})
        Job.objects.create(run=planned, subject="item", item=item)
        expected[one_by_one] = PREANNOTATE.calls_expected(planned)
    assert expected == {False: 1, True: len(project.kind.questions())}
    assert list(PREANNOTATE.told_options(planned).values()) == [True]
