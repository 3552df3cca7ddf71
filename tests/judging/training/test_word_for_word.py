"""A chat of the training data is what the model was asked: the same system message, the same user message."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotate.engine.prompt_files import shipped
from annotate.engine.prompts import sha256
from annotate.models import Annotation, Call, Item, Project, PromptVersion
from judging.training.chats import ALL, TrainingChoice
from judging.training.training_files import rows
from tests.support.branched import branching_project, decided_pair
from tests.support.model_server import ModelServer
from tests.support.runs import make_endpoint
from tests.support.training import accepted_tree
from tests.support.trees import PAIR, branch, tree

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def project(db: None, model_server: ModelServer) -> Project:
    made = branching_project(slug="trees")
    make_endpoint(name="sim", model="simulated-judge", base_url=model_server.base_url, simulated=True)
    return made


def told(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*words, "--endpoint", "sim", "--wait", "--json", stdout=out)
    return dict(json.loads(out.getvalue()))


def asked(step: str) -> list[Any]:
    """The messages of the stored requests of this step."""
    calls = Call.objects.filter(step__contains=step, cause="").order_by("pk")
    return [call.request["messages"] for call in calls]


def chats(project: Project, file: str, source: str) -> list[Any]:
    """The messages before the answer."""
    found = rows(project, TrainingChoice(judges=ALL))
    return [row["messages"][:-1] for name, row in found if name == file and row["source"] == source]


def same(left: list[Any], right: list[Any]) -> bool:
    return sorted(map(json.dumps, left)) == sorted(map(json.dumps, right)) and bool(left)


@pytest.mark.parametrize("options", [(), ("labels=kept",), ("sharing=apart",)])
def test_what_a_judge_of_pairs_was_asked(project: Project, options: tuple[str, ...]) -> None:
    decided_pair(project)
    decided_pair(project)
    told("judge", "trees", "--strategy", "branching", *(word for one in options for word in ("--option", one)))
    assert same(chats(project, "judgements", "simulated-judge"), asked("/pair/"))
    own, once = chats(project, "criteria", "simulated-judge"), {json.dumps(one) for one in asked("/criteria")}
    assert {json.dumps(one) for one in own} == once
    guidelines = {json.dumps(one) for one in chats(project, "guidelines", "simulated-judge")}
    assert guidelines == {json.dumps(one) for one in asked("/guideline/")}


def test_what_a_judge_of_single_answers_and_a_corrector_were_asked(project: Project) -> None:
    decided_pair(project, first="About “how many legs” I have nothing to add.")
    told("judge", "trees", "--strategy", "branching-single")
    told("correct", "trees", "--threshold", "4", "--inclusive")
    assert same(chats(project, "judgements", "simulated-judge"), asked("/single/"))
    assert same(chats(project, "corrections", "model"), asked("correction"))


def test_the_wording_of_the_run_counts_also_after_it_was_edited(project: Project) -> None:
    decided_pair(project)
    told("judge", "trees", "--strategy", "branching")
    reworded(project, "branches", "pair", "Reworded. " + shipped("branches")["pair", "en"].text)
    assert same(chats(project, "judgements", "simulated-judge"), asked("/pair/"))
    people = chats(project, "judgements", "people")
    assert people
    assert all(chat[1]["content"].startswith("Reworded. ") for chat in people), "as a judge would be asked now"


def test_a_rule_of_the_system_of_the_projects_own_is_in_the_chats_too(project: Project) -> None:
    decided_pair(project)
    reworded(project, "system", "rule", shipped("system")["rule", "en"].text + " Take your time.")
    told("judge", "trees", "--strategy", "branching")
    found = chats(project, "judgements", "simulated-judge")
    assert same(found, asked("/pair/"))
    assert all("Take your time." in chat[0]["content"] for chat in found)


def reworded(project: Project, scope: str, step: str, text: str) -> None:
    columns = {"project": project, "scope": scope, "step": step, "language": "en", "number": 1}
    PromptVersion.objects.create(**columns, text=text, sha256=sha256(text), adopted=True)


def test_a_tree_of_people_is_put_as_a_judge_is_asked(project: Project) -> None:
    """A judge that goes by the item's own criteria gets the same questions as the chats of the item's tree."""
    accepted_tree(project, "a", draft=tree(branch(1, 2, 5), branch(2, 3, 4)))
    recovered = ("--option", "criteria=recovered", "--option", "branches=2", "--option", "labels=kept")
    told("judge", "trees", "--strategy", "branching", *recovered)
    assert same(chats(project, "judgements", "people"), asked("/pair/"))


def test_what_bridging_asked(project: Project) -> None:
    original = {"style": "verdict", "verdict": "second", "text": "The second one is right about the legs."}
    facts = PAIR | {"original": original}
    item = Item.objects.create(
        project=project, key="a", title="a", facts=facts, content_hash="a", state="ready", language="en"
    )
    assert told("bridge", "trees")["done"] == 1
    item.base = Annotation.objects.filter(item=item).latest("pk")
    item.state = "accepted"
    item.save()
    assert same(chats(project, "reverse_criteria", "people"), asked("recovered-criteria"))
    assert same(chats(project, "reverse_guidelines", "people"), asked("recovered-guideline"))
