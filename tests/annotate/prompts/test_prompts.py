import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.engine import prompts
from annotate.engine.prompt_files import BadPromptFile, shipped
from annotate.engine.prompts import BadPrompt, Key
from annotate.errors import Refused, WrongState
from annotate.models import Project, PromptVersion, Run, User
from annotate.prompts import queries
from lib.texts.fencing import slots_of
from tests.support.endpoints import make_endpoint
from tests.support.people import make_project
from tests.support.prompts import TEXTS, PromptFolder, prompt_folder

__all__ = ["prompt_folder"]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("prompt_folder")]
KEY = Key("feedback", "checklist", "en")
OTHER = "In short: {{ user_query }}. A checklist, please."


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lead() -> User:
    return User.objects.create_user("lead")


def write(project: Project, text: str = OTHER, *, based_on: int = 0, **more: object) -> PromptVersion:
    given = {"note": "", "by": None, "key": KEY} | more
    return prompts.write(project, text=text, based_on=based_on, **given)  # type: ignore[arg-type]


def frozen(project: Project, *steps: str) -> list[str]:
    return [str(one) for one in prompts.frozen(project, "feedback", steps)]


# --- shipped files ----------------------------------------------------------------------------------------------------
def test_files_become_versions_once() -> None:
    for _again in range(2):
        prompts.publish("feedback")
    stored = {f"{one.step}.{one.language}": (one.number, one.text) for one in PromptVersion.objects.all()}
    assert stored == {name: (1, text) for name, text in TEXTS.items()}


def test_a_changed_file_is_the_next_version_and_the_old_one_stays(prompt_folder: PromptFolder) -> None:
    prompts.publish("feedback")
    prompt_folder.write("checklist.en", "Anew: {{ user_query }}")
    prompts.publish("feedback")
    numbers = PromptVersion.objects.filter(step="checklist", language="en").values_list("number", "text")
    assert list(numbers) == [(2, "Anew: {{ user_query }}"), (1, TEXTS["checklist.en"])]
    assert PromptVersion.objects.filter(number=2).count() == 1


def test_a_file_that_says_again_what_it_once_said_is_a_new_version(prompt_folder: PromptFolder) -> None:
    for text in ("A {{ user_query }}", "B {{ user_query }}", "A {{ user_query }}"):
        prompt_folder.write("checklist.en", text)
        prompts.publish("feedback")
    assert PromptVersion.objects.filter(step="checklist", language="en").first().number == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["checklist", "checklist.fr", "Check List.en", "a.b.en"])
def test_a_file_with_a_name_that_says_nothing_is_named(prompt_folder: PromptFolder, name: str) -> None:
    prompt_folder.write(name, "x")
    with pytest.raises(BadPromptFile, match=r"<step>\.<language>\.md"):
        shipped("feedback")


@pytest.mark.parametrize("scope", ["nobody", "../feedback", "", "feedback/../feedback"])
def test_a_scope_that_ships_nothing_has_no_prompts(scope: str) -> None:
    assert shipped(scope) == {}


def test_the_files_that_are_shipped_have_the_same_slots_in_every_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for scope in ("feedback",):
        files = shipped(scope)
        assert files
        for (step, language), file in files.items():
            assert slots_of(file.text) == slots_of(files[step, "en"].text), (step, language)
            assert prompts.checked(Key(scope, step, language), file.text) == file.text


# --- which is used ----------------------------------------------------------------------------------------------------
def test_a_project_without_its_own_follows_what_is_shipped(project: Project, prompt_folder: PromptFolder) -> None:
    assert prompts.current(project, *vars(KEY).values()).text == TEXTS["checklist.en"]
    prompt_folder.write("checklist.en", "Anew: {{ user_query }}")
    assert prompts.current(project, *vars(KEY).values()).number == 2


def test_its_newest_own_version_is_used_and_only_there(project: Project) -> None:
    write(project)
    newest = write(project, OTHER + " Soon.", based_on=1)
    assert prompts.current(project, *vars(KEY).values()) == newest
    assert prompts.current(make_project(), *vars(KEY).values()).project is None


def test_a_version_that_is_only_tried_is_not_used(project: Project) -> None:
    tried = write(project, adopted=False)
    assert prompts.current(project, *vars(KEY).values()).project is None
    prompts.adopt(tried)
    assert prompts.current(project, *vars(KEY).values()) == tried


def test_a_run_is_frozen_in_every_language_there_is(project: Project) -> None:
    write(project)
    assert frozen(project, "reference", "checklist", "reference") == [
        "feedback/reference/en v1",
        "feedback/checklist/en v1",
        "feedback/checklist/zh v1",
    ]
    own = [one.project_id for one in prompts.frozen(project, "feedback", ["checklist"])]
    assert own == [project.pk, None]


def test_a_run_keeps_its_wordings_when_others_are_written(project: Project, prompt_folder: PromptFolder) -> None:
    run = Run.objects.create(project=project, purpose="x", endpoint=make_endpoint())
    run.prompts.set(prompts.frozen(project, "feedback", ["checklist"]))
    write(project)
    prompt_folder.write("checklist.zh", "换了：{{ user_query }}")
    prompts.publish("feedback")
    told = prompts.of_run(run)
    assert told.text("checklist", "en") == TEXTS["checklist.en"]
    assert told.text("checklist", "zh") == TEXTS["checklist.zh"]
    assert told.versions == {("checklist", "en"): 1, ("checklist", "zh"): 1}
    assert prompts.of_run(run).text("checklist", "fr") == TEXTS["checklist.en"]


def test_a_step_that_nobody_ships_is_named(project: Project) -> None:
    with pytest.raises(Refused, match="step “nothing”"):
        frozen(project, "checklist", "nothing")
    with pytest.raises(Refused, match=r"feedback\.nothing\.en"):
        prompts.current(project, "feedback", "nothing", "en")


def test_a_step_without_english_is_refused(project: Project, prompt_folder: PromptFolder) -> None:
    prompt_folder.remove("checklist.en")
    with pytest.raises(Refused, match="no English prompt"):
        frozen(project, "checklist")


def test_a_wording_whose_step_has_lost_its_slot_stops_the_run(project: Project, prompt_folder: PromptFolder) -> None:
    write(project)
    prompt_folder.write("checklist.en", "{{ feedback }}")
    with pytest.raises(Refused, match=r"Version 1 of feedback\.checklist\.en .*no slot “user_query”"):
        frozen(project, "checklist")


def test_a_wording_without_a_slot_is_used_with_a_warning(project: Project) -> None:
    saved = write(project, "No slot.")
    assert frozen(project, "checklist")[0] == str(saved)
    assert prompts.warnings(KEY, saved.text) == [
        "The slot {{ user_query }} is missing: the model will not see its text."
    ]


# --- writing ----------------------------------------------------------------------------------------------------------
def test_versions_count_from_one_and_say_who_and_why(project: Project, lead: User) -> None:
    first = write(project, by=lead, note="shorter")
    second = write(project, OTHER + " Soon.", based_on=1)
    assert [(one.number, one.note, one.author) for one in (first, second)] == [(1, "shorter", lead), (2, "", None)]
    assert write(make_project()).number == 1
    assert write(project, "全部：{{ user_query }}", key=Key("feedback", "checklist", "zh")).number == 1


def test_line_breaks_of_a_browser_are_no_change(project: Project) -> None:
    with pytest.raises(Refused, match="identical to the version in use"):
        write(project, "\r\n" + TEXTS["checklist.en"].replace("\n", "\r\n") + "\r\n")
    assert write(project, "a\r\nb\rc {{ user_query }}").text == "a\nb\nc {{ user_query }}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write the prompt."),
        (" \n ", "Write the prompt."),
        ("{{ user_query }} {{ x }}", "no slot “x”"),
        ("{{ user_query }} \0", "NUL"),
        ("{{ user_query }}" + "x" * prompts.LONGEST, "longer than"),
    ],
)
def test_what_cannot_be_used_is_refused(project: Project, text: str, said: str) -> None:
    with pytest.raises(BadPrompt) as bad:
        write(project, text)
    assert said in str(bad.value)
    assert not PromptVersion.objects.filter(project=project).exists()


def test_nobody_overwrites_what_somebody_else_saved(project: Project) -> None:
    write(project)
    with pytest.raises(WrongState, match="version 1 in the meantime"):
        write(project, OTHER + " Mine.", based_on=0)


def test_a_tried_version_behind_a_newer_one_is_not_adopted(project: Project) -> None:
    tried = write(project, adopted=False)
    newer = write(project, OTHER + " Newer.", based_on=1)
    with pytest.raises(WrongState, match="newer version is in use"):
        prompts.adopt(tried)
    assert prompts.current(project, *vars(KEY).values()) == newer


def test_returning_to_shipped_makes_a_version(project: Project, lead: User) -> None:
    write(project)
    back = prompts.return_to_shipped(project, KEY, by=lead)
    assert (back.number, back.text, back.author) == (2, TEXTS["checklist.en"], lead)
    assert prompts.current(project, *vars(KEY).values()) == back
    with pytest.raises(Refused, match="identical to the version in use"):
        prompts.return_to_shipped(project, KEY, by=lead)


# --- as pages show them -----------------------------------------------------------------------------------------------
def test_reading_writes_nothing_and_shows_the_file(project: Project) -> None:
    history = queries.history(project, KEY)
    assert not PromptVersion.objects.exists()
    assert [(one.ref, one.text, one.pk) for one in history.wordings] == [("s1", TEXTS["checklist.en"], None)]
    assert (history.in_use.ref, history.as_shipped, history.newest_number) == ("s1", True, 0)


def test_a_history_has_own_versions_before_shipped_ones(project: Project, prompt_folder: PromptFolder) -> None:
    write(project)
    write(project, OTHER + " Soon.", based_on=1, adopted=False)
    prompt_folder.write("checklist.en", "Anew: {{ user_query }}")
    history = queries.history(project, KEY)
    assert [one.ref for one in history.wordings] == ["2", "1", "s2", "s1"]
    assert (history.in_use.ref, history.shipped.ref, history.as_shipped) == ("1", "s2", False)
    assert {one.ref: history.before(one).ref for one in history.wordings} == {"2": "1", "1": "s2", "s2": "1", "s1": "1"}


def test_a_history_counts_the_runs_of_its_project_only(project: Project) -> None:
    version = prompts.current(project, *vars(KEY).values())
    for owner in (project, project, make_project()):
        run = Run.objects.create(project=owner, purpose="x", endpoint=make_endpoint(f"e{Run.objects.count()}"))
        run.prompts.add(version)
    assert queries.history(project, KEY).in_use.runs == 2


def test_other_projects_versions_are_not_seen(project: Project) -> None:
    write(make_project())
    assert [one.ref for one in queries.history(project, KEY).wordings] == ["s1"]


def test_the_list_is_one_query_in_the_order_of_the_steps(project: Project) -> None:
    for number in range(5):
        write(project, f"{OTHER} {number}", based_on=number)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        steps = queries.steps(project)
    assert len(asked) == 1
    assert [step.step for step in steps if not step.is_part] == ["reference", "checklist"]
    cells = {language: history.in_use.ref if history else "" for language, history in steps[1].cells}
    assert cells == {"en": "5", "zh": "s1"}
    assert dict(steps[0].cells)["zh"] is None


def test_slots_are_told_apart() -> None:
    assert queries.pieces("a {{ b }}c") == [("a ", False), ("{{ b }}", True), ("c", False)]
    assert queries.pieces("") == []
