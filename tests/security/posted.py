"""Forms that succeed: for each address at which a lead or an administrator changes something, what they post.

A form is a function of the world and gives the fields; it may first bring its object into the state that it needs.
`filled` takes the fields from the page itself, so that they follow the form.
"""

import json
from collections.abc import Callable
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.guidelines.rulings import last_event
from annotate.models import Endpoint, Item, Member, Precedent, Release, Run
from tests.security.addresses import addresses
from tests.security.asking import client_of, path_for
from tests.security.world import OURS, World

Fields = dict[str, Any]
Form = Callable[[World], Fields]


def filled(address: str, /, *, role: str = "lead", form: str = "form", **changes: Any) -> Form:
    """The form on the page of this address with its initial values, and these changes."""

    def fields(world: World) -> Fields:
        answer = client_of(world, role).get(path_for(world, addresses()[address], role))
        values = {bound.html_name: bound.value() for bound in answer.context[form]}
        return {key: value for key, value in values.items() if not _is_empty(value)} | changes

    return fields


def _is_empty(value: Any) -> bool:
    """A browser sends nothing for it; a 0 it does."""
    return value is None or value is False or value == ""


def fixed(**fields: Any) -> Form:
    return lambda _world: fields


def file(text: str, **fields: Any) -> Form:
    return lambda _world: {"file": SimpleUploadedFile("rows.jsonl", text.encode()), **fields}


def _run(state: str, **columns: Any) -> Form:
    """No fields, after the run of the address was brought into this state."""

    def fields(world: World) -> Fields:
        Run.objects.filter(pk=world.id_of("run", "lead")).update(state=state, **columns)
        return {}

    return fields


def _rule(world: World) -> Fields:
    question = Precedent.objects.get(pk=world.id_of("question", "lead"))
    return {"ruling": "It counts.", "scope": "all", "based_on": last_event(question)}


def _withdraw(world: World) -> Fields:
    return {"based_on": last_event(Precedent.objects.get(pk=world.id_of("ruling", "lead")))}


def _failed_release(world: World) -> Fields:
    Release.objects.filter(project__slug=OURS, version=world.id_of("release", "lead")).update(state="failed")
    return {}


def _learned(world: World) -> Fields:
    Endpoint.objects.filter(pk=world.id_of("endpoint", "staff")).update(capabilities={"reply_format": "text"})
    return {}


def _items(world: World) -> Fields:
    items = Item.objects.filter(project__slug=OURS, state="ready").values_list("pk", flat=True)[:2]
    return {"verb": "priority", "item": list(items), "priority": 7, "sure": "1"}


def _stale(world: World) -> Fields:
    return {"scope": "all", "sure": "1", "version": 3, "filter": ""}


def _paused(world: World) -> Fields:
    member = Member.objects.filter(pk=world.id_of("calibrated member", "lead"))
    member.update(paused_at=timezone.now(), paused_reason="Too many errors.")
    return {"verb": "go_on"}


def _key(what: str) -> Form:
    return lambda world: {"keys": Item.objects.get(pk=world.id_of(what, "lead")).key, "purpose": "gold"}


def _run_form(_world: World) -> Fields:
    return {"run-purpose": "preannotate", "run-endpoint": "nowhere"}


def _prompt(world: World) -> Fields:
    return filled("prompt_edit")(world) | {"text": filled("prompt_edit")(world)["text"] + "\n\nBe brief."}


def _adopt(world: World) -> Fields:
    answer = client_of(world, "lead").get(path_for(world, addresses()["prompt"], "lead"))
    history = answer.context["history"]
    return {"version": next(wording.ref for wording in history.wordings if not wording.adopted)}


def _probe(_world: World) -> Fields:
    return filled("arithmetic")(_world) | {"endpoint": "nowhere"}


ANSWER = json.dumps({"key": "ours-open", "author": "candidate", "text": "An answer from a file."})
ROW = json.dumps(
    {"key": "posted", "bench_type": "Error Correction", "user_query": "Why?", "origin_first_response": "So."}
)
HOOKS = "https://hooks.example.org"  # allowed while these forms are posted

FORMS: dict[str, Form] = {
    "project_new": fixed(name="New", slug="new", kind="feedback"),
    "lease_release": fixed(),
    "guidelines_edit": filled("guidelines_edit", text="Other guidelines."),
    "stale_reopen": _stale,
    "reopening_back": fixed(),
    "precedent_rule": _rule,
    "precedent_withdraw": _withdraw,
    "precedent_read": fixed(),
    "project_settings": filled("project_settings", licence="CC0"),
    "pause": fixed(reason="A holiday."),
    "prompt_edit": _prompt,
    "prompt_adopt": _adopt,
    "prompt_shipped": fixed(),
    "invite": fixed(role="annotator", days=7),
    "people_add": fixed(usernames="stranger", role="annotator"),
    "invitation_revoke": fixed(),
    "member": fixed(role="annotator", daily_limit=3),
    "member_remove": fixed(),
    "items_bulk": _items,
    "item_decide": fixed(verb="drop", reason="other"),
    "item_release": lambda world: {"slot": world.id_of("slot", "lead")},
    "import": lambda world: filled("import")(world) | file(ROW)(world),
    "batch_settings": filled("batch", duplicates="update"),
    "batch_confirm": fixed(),
    "batch_discard": fixed(),
    "near_duplicates_search": fixed(threshold="0.5"),
    "near_duplicate": fixed(decision="both"),
    "releases": filled("releases"),
    "release_withdraw": fixed(),
    "release_retry": _failed_release,
    "run_new": _run_form,
    "run_start": _run("planned"),
    "run_pause": _run("running"),
    "run_resume": _run("paused"),
    "run_cancel": _run("running"),
    "run_retry": _run("running"),
    "run_budget": fixed(budget="7"),
    "run_reread": _run("paused"),
    "readiness_settings": filled("readiness_settings", calibration_each=2),
    "readiness_mark": _key("accepted item"),
    "readiness_decide": _paused,
    "samples": filled("samples"),
    "answers_import": file(ANSWER),
    "answer_author": filled("answer_author", family="Another family"),
    "arithmetic_plan": _probe,
    "study_close": fixed(),
    "saved_view_save": fixed(name="Ours", page="leaderboard", query="", shared="on"),
    "tokens": fixed(name="nightly", role="viewer", days=30),
    "token_revoke": fixed(),
    "webhooks": fixed(url=f"{HOOKS}/secret-path", events=["run.finished"]),
    "webhook_test": fixed(),
    "webhook_switch": fixed(on="0"),
    "webhook_remove": fixed(),
    "delivery_again": fixed(),
    # for administrators
    "reset_links": fixed(username="annotator"),
    "endpoint_new": filled(
        "endpoint_new", role="staff", name="another", base_url="http://127.0.0.1:9/v1", model="m", extra_body=""
    ),
    "endpoint": filled("endpoint", role="staff", price_in="2.5"),
    "endpoint_retire": fixed(),
    "endpoint_forget": _learned,
    "endpoint_test": fixed(),
    # for programs
    "api_imports": fixed(),
    "api_runs": fixed(),
    "api_run_start": _run("planned"),
    "api_run_pause": _run("running"),
    "api_run_resume": _run("paused"),
    "api_run_cancel": _run("running"),
    "api_run_retry": _run("running"),
    "api_releases": fixed(),
}


def post(client: Client, world: World, name: str, role: str, fields: Fields) -> Any:
    path = path_for(world, addresses()[name], role)
    if not name.startswith("api_"):
        return client.post(path, fields)
    if name == "api_imports":
        return client.post(path, ROW + "\n", content_type="application/jsonl")
    body = {"purpose": "preannotate", "endpoint": "nowhere"} if name == "api_runs" else {}
    return client.post(path, json.dumps(body), content_type="application/json")


def page(name: str) -> str:
    return reverse(name, args=[OURS])
