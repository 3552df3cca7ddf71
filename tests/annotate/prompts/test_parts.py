import pytest

from annotate.engine import prompt_files, prompts
from annotate.engine.prompts import BadPrompt, Key
from annotate.kinds.protocol import JudgedItem
from annotate.models import Project, PromptVersion, Run
from annotate.prompts import queries
from judging.strategies.criteria import criteria, text_of
from judging.strategies.intent.intent_criteria import criteria_for, weighing
from judging.strategies.questions import case_message
from judging.strategies.strategy import ShownCase, strategies
from judging.verdicts.verdict_store import word_for, word_for_texts
from lib.texts import prompt_texts
from lib.texts.fencing import RULE, SAFETY, fenced, is_protecting, role_names, slots_of
from tests.support.endpoints import make_endpoint
from tests.support.people import make_project

AXIS = Key("criteria", "general-axis", "en")
RULE_EN = Key("system", "rule", "en")
OWN_RULE = "Be kind. Blocks are called {{ boundary }}."


@pytest.fixture
def project(db: None) -> Project:
    return make_project()


def write(project: Project, key: Key, text: str, based_on: int = 0) -> PromptVersion:
    return prompts.write(project, key, text=text, note="", by=None, based_on=based_on)


def frozen(project: Project, *patterns: str) -> list[PromptVersion]:
    return prompts.frozen_texts(project, patterns)


def planned(project: Project, *patterns: str) -> Run:
    run = Run.objects.create(project=project, purpose="x", endpoint=make_endpoint(name=f"e-{Run.objects.count()}"))
    run.texts.set(frozen(project, *patterns))
    return run


def told(run: Run) -> str:
    with prompt_texts.using(prompt_files.of_run(run)):
        return text_of("", "axis", "en")


# --- tables -----------------------------------------------------------------------------------------------------------
def test_every_shipped_text_has_a_name_in_both_languages() -> None:
    for scope in ("criteria", "intent_criteria", "system"):
        texts = prompt_texts.shipped_texts(scope)
        names = {name for name, _language in texts}
        assert names
        assert set(texts) == {(name, language) for name in names for language in ("en", "zh")}
        assert all(texts.values())


def test_shipped_texts_in_use_change_nothing() -> None:
    """As a run freezes them: a model is asked in the same words, to the letter, as before texts were kept."""
    shipped = {
        (scope, *key): text
        for scope in ("criteria", "intent_criteria", "system")
        for key, text in prompt_texts.shipped_texts(scope).items()
    }
    before = criteria(), fenced("{{ a }}", {"a": "x"}), weighing("api", criteria_for("api", {}), "zh")
    with prompt_texts.using(shipped):
        assert (criteria(), fenced("{{ a }}", {"a": "x"}), weighing("api", criteria_for("api", {}), "zh")) == before


def test_an_own_text_is_in_use_only_within() -> None:
    with prompt_texts.using({("criteria", "general-axis", "en"): "Is it short?"}):
        assert text_of("", "axis", "en") == "Is it short?"
        assert text_of("", "axis", "zh") == criteria()["general"]["axis"]["zh"]
    assert text_of("", "axis", "en") != "Is it short?"


def test_places_of_a_text_are_slots_to_people() -> None:
    shipped = prompt_texts.shipped_texts("intent_criteria")["weighing_leading", "en"]
    assert slots_of(shipped) == {"first", "second"}
    with prompt_texts.using({("intent_criteria", "weighing_leading", "en"): "Mind {{ second }}."}):
        assert weighing("api", criteria_for("api", {}), "en") == "Mind User satisfaction."


# --- of a project -----------------------------------------------------------------------------------------------------
def test_texts_stand_among_the_prompts_of_a_project_that_judges(project: Project) -> None:
    known = queries.keys(project)
    assert {str(AXIS), str(RULE_EN), "criteria.rules.zh", "intent_criteria.bands.zh"} <= set(known)
    assert all(step.is_part == (step.scope in prompt_files.scopes(project)) for step in queries.steps(project))


def test_a_run_keeps_the_texts_that_it_was_planned_with(project: Project) -> None:
    before = planned(project, "criteria.*-axis")
    shipped = told(before)
    write(project, AXIS, "Is it short?")
    after = planned(project, "criteria.*-axis")
    write(project, AXIS, "Is it long?", based_on=1)
    assert (told(before), told(after)) == (shipped, "Is it short?")
    assert queries.history(project, AXIS).find("1").runs == 1  # type: ignore[union-attr]
    assert prompts.of_run(after).parts["criteria", "general-axis", "en"] == "Is it short?"


def test_the_texts_of_another_project_are_not_used(project: Project) -> None:
    write(project, AXIS, "Is it short?")
    assert {one.project_id for one in frozen(make_project(), "criteria.*")} == {None}


def test_restoring_a_text_gives_a_judge_its_old_name_back(project: Project) -> None:
    assert word_for_texts(frozen(project, "criteria.*-axis")) == ""
    write(project, AXIS, "Is it short?")
    short = word_for_texts(frozen(project, "criteria.*-axis"))
    assert short.startswith("own-texts=")
    assert word_for_texts(frozen(project, "criteria.rules")) == ""
    write(project, AXIS, "Is it long?", based_on=1)
    assert word_for_texts(frozen(project, "criteria.*-axis")) not in ("", short)
    prompts.return_to_shipped(project, AXIS, by=None)
    assert word_for_texts(frozen(project, "criteria.*-axis")) == ""


def test_an_unknown_slot_of_a_text_is_refused(project: Project) -> None:
    with pytest.raises(BadPrompt, match="no slot “answer”"):
        write(project, AXIS, "Look at {{ answer }}")


def test_every_pattern_of_a_strategy_names_texts_that_there_are(project: Project) -> None:
    for each in strategies().values():
        for pattern in each.texts(each.options()):
            assert frozen(project, pattern), (each.slug, pattern)


# --- the rule of the system -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_rule_protects_and_says_the_sentence(language: str) -> None:
    assert SAFETY[language] in RULE[language]
    text = prompt_texts.shipped_texts("system")["rule", language]
    assert is_protecting(text, language)
    assert prompts.warnings(Key("system", "rule", language), text) == []
    assert is_protecting(f"Be kind.\n\n{text}", language)


def test_a_rule_without_the_sentence_is_warned_of_and_marked(project: Project) -> None:
    shipped = frozen(project, "system.*")
    assert word_for([], shipped) == ""
    assert "marked as not fenced" in prompts.warnings(RULE_EN, OWN_RULE)[-1]
    write(project, RULE_EN, OWN_RULE)
    texts = frozen(project, "system.*")
    assert word_for([], texts).startswith("not-fenced=")
    with prompt_texts.using({(one.scope, one.step, one.language): one.text for one in texts}):
        asked = fenced("{{ a }}", {"a": "x"})
    assert asked.rule == f"Be kind. Blocks are called {asked.boundary}."


def test_a_longer_rule_that_keeps_the_sentence_stays_fenced(project: Project) -> None:
    text = prompt_texts.shipped_texts("system")["rule", "en"]
    write(project, RULE_EN, f"You are strict. {text}")
    texts = frozen(project, "system.*")
    assert word_for([], texts) == ""
    assert word_for_texts(texts).startswith("own-texts=")


# --- the names of roles -----------------------------------------------------------------------------------------------
def test_who_said_a_turn_is_named_as_the_project_names_them() -> None:
    judged = JudgedItem(messages=[{"role": "user", "content": "One?"}])
    shown = ShownCase(judged, "Two.", language="en")
    assert "User:\n\n" in case_message("{{ conversation }}", shown).text
    with prompt_texts.using({("system", "role-user", "en"): "The customer:"}):
        assert "The customer:\n\n" in case_message("{{ conversation }}", shown).text
        assert role_names("zh")["user"] == "用户："


def test_a_name_of_a_role_is_an_own_text_but_no_rule_without_protection(project: Project) -> None:
    write(project, Key("system", "role-user", "en"), "The customer:")
    texts = frozen(project, "system.*")
    assert word_for_texts(texts).startswith("own-texts=")
    assert word_for([], texts) == ""
