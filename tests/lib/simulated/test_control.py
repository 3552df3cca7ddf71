"""The simulated model as a server: the protocol, the official client, what tests order and count, its command."""

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import AsyncOpenAI, AuthenticationError
from pydantic import BaseModel

from lib.simulated.candidate import SKILLS
from lib.simulated.server import serve
from lib.simulated.shapes.verdicts import JUDGES
from tests.annotate.engine.asked import QUERY, request
from tests.support.installation import ROOT
from tests.support.model_server import ModelServer, running_model_server
from tests.support.running import run


class Row(BaseModel):
    question: str
    weight: float


class Rows(BaseModel):
    rows: list[Row]


def test_the_official_client_reads_models_prose_and_shapes(model_server: ModelServer) -> None:
    async def asked() -> tuple[list[str], Any, Any]:
        async with AsyncOpenAI(base_url=model_server.base_url, api_key="any", max_retries=0) as client:
            models = [model.id async for model in client.models.list()]
            messages: Any = [{"role": "user", "content": QUERY}]
            prose = await client.chat.completions.create(model="some-model", messages=messages)
            shaped = await client.chat.completions.parse(model="m", messages=messages, response_format=Rows)
            return models, prose, shaped

    models, prose, shaped = run(asked())
    assert models == ["simulated-1", *SKILLS, *JUDGES]
    assert prose.model == "some-model"
    assert prose.usage.total_tokens == prose.usage.prompt_tokens + prose.usage.completion_tokens > 20
    assert abs(sum(row.weight for row in shaped.choices[0].message.parsed.rows) - 1) < 1e-9


def test_a_key_is_asked_for_where_one_is_set(model_server: ModelServer) -> None:
    model_server.turn(key="open sesame")

    async def models(key: str) -> int:
        async with AsyncOpenAI(base_url=model_server.base_url, api_key=key, max_retries=0) as client:
            return len((await client.models.list()).data)

    assert run(models("open sesame")) == 1 + len(SKILLS) + len(JUDGES)
    with pytest.raises(AuthenticationError):
        run(models("wrong"))
    assert model_server.ask(request()).status_code == 401
    assert "open sesame" not in model_server.client.get("/control/knobs").text


def test_requests_are_counted_by_what_they_hold(model_server: ModelServer) -> None:
    for text in ("one", "two", "one"):
        model_server.ask(request(text))
    calls = model_server.calls
    assert (calls.requests, calls.answered, calls.open, calls.repeated) == (3, 3, 0, 1)
    assert sorted(calls.bodies.values()) == [1, 2]
    assert calls.statuses == {"200": 3}
    assert [kept["body"]["messages"][0]["content"] for kept in calls.kept] == ["one", "two", "one"]
    assert calls.tokens_in == 3 * 5  # four for a message, one for a word of three letters


def test_what_was_refused_costs_nothing(model_server: ModelServer) -> None:
    model_server.misbehave("server_error")
    model_server.ask(request())
    assert (model_server.calls.tokens_in, model_server.calls.statuses) == (0, {"500": 1})


def test_requests_at_a_time_are_counted(model_server: ModelServer) -> None:
    model_server.turn(latency=0.5)

    async def together() -> None:
        async with httpx2.AsyncClient(base_url=model_server.base_url, timeout=30) as client:
            await asyncio.gather(*(client.post("/chat/completions", json=request(str(n))) for n in range(5)))

    run(together())
    assert model_server.calls.most_open == 5


def test_an_order_is_for_so_many_requests(model_server: ModelServer) -> None:
    model_server.misbehave("server_error", times=2)
    assert [model_server.ask(request()).status_code for _turn in range(3)] == [500, 500, 200]


def test_an_order_may_wait_and_choose_its_requests(model_server: ModelServer) -> None:
    model_server.misbehave("unavailable", times=None, containing="coat", after=1)
    texts = ["coat", "hat", "coat", "hat", "coat"]
    assert [model_server.ask(request(text)).status_code for text in texts] == [200, 200, 503, 200, 503]


def test_orders_are_carried_out_in_their_order(model_server: ModelServer) -> None:
    model_server.misbehave("server_error")
    model_server.misbehave("wrong_key")
    assert [model_server.ask(request()).status_code for _turn in range(3)] == [500, 401, 200]


def test_a_reset_forgets_counts_orders_and_knobs(model_server: ModelServer) -> None:
    model_server.misbehave("server_error", times=None)
    model_server.turn(seed=77, skill=0.1)
    model_server.ask(request())
    model_server.reset()
    assert model_server.calls.requests == 0
    assert model_server.ask(request()).status_code == 200
    assert model_server.client.get("/control/knobs").json()["seed"] == 1


def test_shares_of_faults_can_be_turned_on(model_server: ModelServer) -> None:
    model_server.turn(faults={"server_error": 1.0})
    assert model_server.ask(request()).status_code == 500


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/control/misbehave", {"what": "sneezes"}, "'what' must be one of rate_limited"),
        ("/control/misbehave", {"what": "html", "times": -1}, "'times'"),
        ("/control/misbehave", {"what": "html", "often": 1}, "'often'"),
        ("/control/misbehave", ["html"], "JSON object"),
        ("/control/knobs", {"faults": {"sneezes": 0.1}}, "no misbehaviour 'sneezes'"),
        ("/control/knobs", {"faults": ["html"]}, ""),
        ("/control/knobs", {"colour": "red"}, "no knob colour"),
        ("/control/knobs", {"latency": "slow"}, "latency is 'slow'"),
    ],
)
def test_a_wrong_order_is_refused_in_words(model_server: ModelServer, path: str, body: Any, says: str) -> None:
    answer = model_server.client.post(path, json=body)
    assert answer.status_code == 400
    assert says in answer.json()["error"]


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"{", "could not parse"),
        (b"[" * 100_000, "could not parse"),
        (b"[]", "must be a JSON object"),
        (b'"\xff"', "parse"),
    ],
)
def test_a_body_that_is_none_is_refused_in_the_form_of_the_protocol(
    model_server: ModelServer, sent: bytes, says: str
) -> None:
    answer = model_server.client.post("/v1/chat/completions", content=sent)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]


def test_an_unknown_misbehaviour_in_the_header_and_an_unknown_address_are_refused(model_server: ModelServer) -> None:
    answer = model_server.ask(request(), **{"X-Simulated-Misbehave": "sneezes"})
    assert (answer.status_code, "sneezes" in answer.json()["error"]["message"]) == (400, True)
    lost = model_server.client.post("/v1/embeddings", json={})
    assert (lost.status_code, lost.json()["error"]["code"]) == (404, "unknown_url")


def test_a_prompt_longer_than_the_context_is_refused(model_server: ModelServer) -> None:
    model_server.turn(context_length=10)
    refused = model_server.ask(request()).json()["error"]
    assert refused["code"] == "context_length_exceeded"
    assert "10 tokens" in refused["message"]


def test_a_server_in_this_process_answers_as_the_command_does(model_server: ModelServer) -> None:
    async def here() -> Any:
        async with serve(latency=0.0) as serving, httpx2.AsyncClient(base_url=serving.base_url) as client:
            return (await client.post("/chat/completions", json=request())).json()

    assert run(here()) == model_server.ask(request()).json()


def test_it_listens_on_loopback_only(model_server: ModelServer) -> None:
    assert model_server.base_url.startswith("http://127.0.0.1:")
    port = int(model_server.base_url.removesuffix("/v1").rsplit(":", 1)[1])
    addresses = {
        line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"
    }
    assert f"0100007F:{port:04X}" in addresses
    assert f"00000000:{port:04X}" not in addresses


def test_the_command_takes_its_knobs_and_ends_in_order() -> None:
    options = ["--seed=5", "--skill=0.25", "--fault=html=0.5", "--bias=position=0.75", "--latency=0"]
    with running_model_server(*options) as server:
        knobs = server.client.get("/control/knobs").json()
        assert server.process is not None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=20) == 0
    wanted = {"seed": 5, "skill": 0.25, "faults": {"html": 0.5}, "biases": {"position": 0.75}, "latency": 0.0}
    assert {name: knobs[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--skill=2"], 1, "skill is 2.0"),
        (["--fault=sneezes=0.1"], 2, "choose from rate_limited"),
        (["--bias=position"], 2, "write NAME=SHARE"),
        (["--fault-rate=0.9", "--fault=html=0.9"], 1, "add up to more than 1"),
    ],
)
def test_the_command_refuses_wrong_knobs(options: list[str], code: int, says: str) -> None:
    done = started(["--port=0", *options])
    assert (done.returncode, says in done.stderr, "Traceback" in done.stderr) == (code, True, False)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = started([f"--port={taken.getsockname()[1]}"])
    assert (done.returncode, "Choose another port with --port" in done.stderr) == (1, True)


def started(options: list[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "simulated_model", *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
