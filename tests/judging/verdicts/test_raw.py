"""Raw messages as versions of a judge's prompt, and the judge that verdicts made so belong to."""

import pytest

from annotate.engine import prompts
from annotate.engine.prompts import BadPrompt, Key
from annotate.errors import Refused
from annotate.models import Project, PromptVersion, Run
from annotate.runs.plan import _first_questions, plan_run, prompts_of
from judging.models import Judge, Verdict
from judging.purposes.judge_runs import PURPOSE
from judging.verdicts.verdict_store import raw_step
from lib.texts import prompt_texts
from lib.texts.raw_messages import RawMessages
from tests.support.endpoints import make_endpoint
from tests.support.judged import CORRECTION, answer_of, decided_item
from tests.support.judges import saying
from tests.support.people import make_project
from tests.support.running import run

pytestmark = pytest.mark.django_db
KEY = Key("single", "explained", "en")
RAW = RawMessages("mt-bench", "{{ question }}\n{{ answer }}", "You are a judge.", "Rating: [[")


@pytest.fixture
def project() -> Project:
    made = make_project()
    answer_of(decided_item(made, CORRECTION), "A")
    return made


def write(project: Project, text: str, key: Key = KEY, **more: object) -> PromptVersion:
    newest = prompts.newest_number(project, key)
    return prompts.write(project, key, text=text, note="", by=None, based_on=newest, **more)  # type: ignore[arg-type]


def planned(project: Project, **options: object) -> Run:
    endpoint = project.runs.first().endpoint if project.runs.exists() else make_endpoint(model="judge-x")
    return plan_run(
        project=project, purpose="judge", endpoint=endpoint, by=None, options={"strategy": "vanilla", **options}
    )


def judged(made: Run, reply: str) -> None:
    for case in PURPOSE.load(made, list(made.jobs.all()), prompts_of(made)):
        PURPOSE.store(case, run(PURPOSE.work(case, saying(reply))))


def test_a_step_says_which_slots_and_readers_raw_messages_may_have() -> None:
    step = raw_step("single", "explained")
    assert step is not None
    assert step.slots == ["answer", "conversation", "question", "top"]
    assert [slug for slug, *_more in step.readers] == [
        "prometheus", "mt-bench", "auto-j", "judgelm", "json", "last-number", "regex",
    ]  # fmt: skip
    pairs = raw_step("pairwise", "explained")
    assert pairs is not None
    assert "pandalm" in [slug for slug, *_more in pairs.readers]
    assert raw_step("checklist", "verdicts") is None
    assert raw_step("single", "none") is None


def test_they_are_versions_like_any_other_wording(project: Project) -> None:
    first = write(project, RAW.text())
    second = write(project, RawMessages("auto-j", RAW.user).text())
    assert [first.number, second.number] == [1, 2]
    assert prompts.current(project, **KEY.columns) == second
    prompts.return_to_shipped(project, KEY, by=None)
    assert "{{ answer }}" in prompts.current(project, **KEY.columns).text
    assert write(project, first.text).sha256 == first.sha256  # restored


def test_what_is_wrong_with_them_is_not_kept(project: Project) -> None:
    for text in (
        RawMessages("gpt", RAW.user).text(),
        RawMessages("mt-bench", "{{ question }} {{ answer }} {{checklist}} {{ }}").text(),
        "=== raw messages ===\nreader: mt-bench",
    ):
        with pytest.raises(BadPrompt):
            write(project, text)
    with pytest.raises(BadPrompt, match="always fenced"):
        write(project, RAW.text(), Key("checklist", "verdicts", "en"))
    assert not project.prompts.exists()


def test_what_the_evaluator_does_not_see_is_a_warning(project: Project) -> None:
    text = write(project, RawMessages("mt-bench", "Score it.").text()).text
    answer, question = prompts.warnings(KEY, text)
    assert "{{ answer }} is missing" in answer
    assert "does not see the question" in question


def test_verdicts_are_those_of_another_judge_which_is_not_fenced(project: Project) -> None:
    judged(planned(project), '{"explanation": "Fine.", "score": 4}')
    write(project, RAW.text())
    judged(planned(project), "7]]")
    fenced, raw = Judge.objects.order_by("pk")
    assert (fenced.not_fenced, raw.not_fenced) == (False, True)
    assert raw.variant.startswith("not-fenced=")
    assert raw.variant.endswith(" scale=1-10")
    assert str(raw.variant) in str(raw)
    assert list(Verdict.objects.order_by("pk").values_list("judge", "score_first")) == [(fenced.pk, 4), (raw.pk, 7)]


def test_its_judge_depends_on_the_texts_and_on_the_reader(project: Project) -> None:
    variants = []
    for raw in (RAW, RawMessages("auto-j", RAW.user, RAW.system, RAW.assistant), RawMessages("mt-bench", RAW.user)):
        write(project, raw.text())
        planned(project)
        variants.append(Judge.objects.order_by("-pk")[0].variant)
    assert len(set(variants)) == 3
    write(project, RAW.text())
    planned(project)
    assert Judge.objects.count() == 3  # the first again


def test_a_reply_that_cannot_be_read_is_kept_unparsed(project: Project) -> None:
    write(project, RAW.text())
    judged(planned(project), "A good answer, I think.")
    verdict = Verdict.objects.get()
    assert (verdict.reading, verdict.score_first) == ("unparsed", None)
    assert verdict.reason.endswith(".")


def test_a_run_takes_only_the_raw_ones_of_its_languages(project: Project) -> None:
    """A trained evaluator cannot answer the fenced Chinese prompt: its Chinese items are asked in the English one."""
    write(project, RAW.text())
    made = planned(project)
    assert [str(version) for version in made.prompts.all()] == ["single/explained/en v1"]
    write(project, RAW.text(), Key("single", "explained", "zh"))
    assert planned(project).prompts.count() == 2


def test_raw_messages_in_chinese_alone_are_refused_at_planning(project: Project) -> None:
    write(project, RAW.text(), Key("single", "explained", "zh"))
    with pytest.raises(Refused, match="none in English"):
        planned(project)
    assert not Judge.objects.exists()


def test_an_own_text_reaches_the_judge_whose_verdicts_are_another_ones(project: Project) -> None:
    """Also a run goes on with the text that it was planned with, whatever is written meanwhile."""
    before = planned(project, strategy="axis")
    write(project, "Is it short?", Key("criteria", "general-axis", "en"))
    after = planned(project, strategy="axis")
    shipped, own_text = asked_by(before), asked_by(after)
    assert "Is it short?" not in shipped
    assert "Is it short?" in own_text
    old, new = Judge.objects.order_by("pk")
    assert "Is it short?" in "".join(one["content"] for one in _first_questions(after)[0].messages)  # the estimate too
    assert old.variant == "scale=1-10 texts=generic"
    assert new.variant.startswith("own-texts=")
    assert not new.not_fenced
    planned(project)
    assert Judge.objects.get(strategy="vanilla").variant == "scale=1-10"  # its prompt holds no axis


def test_a_rule_that_protects_nothing_makes_a_judge_that_is_not_fenced(project: Project) -> None:
    write(project, "Be kind.", Key("system", "rule", "en"))
    made = planned(project)
    assert "Be kind." in asked_by(made)
    assert Judge.objects.get().not_fenced


def asked_by(made: Run) -> str:
    """What a worker asks for the only job of a run."""
    ask, known = saying('{"explanation": "Fine.", "score": 4}'), prompts_of(made)
    (case,) = PURPOSE.load(made, list(made.jobs.all()), known)
    with prompt_texts.using(known.parts):
        run(PURPOSE.work(case, ask))
    return "\n".join(message["content"] for question in ask.asked for message in question.messages)


def test_the_word_is_never_cut_off_a_long_variant(project: Project) -> None:
    write(project, RAW.text(), Key("single", "axis", "en"))
    with pytest.raises(BadPrompt):
        write(project, RawMessages("mt-bench", "{{ nothing }}").text(), Key("single", "axis", "en"))
    axes = "; ".join(f"ability-{n} = something to look at" for n in range(30))
    planned(project, strategy="axis", axes=axes)
    assert Judge.objects.get().not_fenced
