"""What `make run` starts, without starting it."""

import configparser
import os
import re
import socket
import subprocess
import sys
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import django
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings
from supervisor import poller
from supervisor.options import ServerOptions

from annotate.engine.addresses import resolve
from lib.simulated.server import HOST, base_url
from scripts.run import (
    Forked,
    announce,
    make_demo,
    print_when_it_answers,
    reserved,
    reserved_for_model,
    static_files,
    summary,
)
from scripts.supervise import AttentivePoller, run, script_of
from tests.support.model_server import running_model_server

ROOT = Path(__file__).resolve().parents[1]


def groups_of(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """As supervisord reads the file."""
    given = {"RUN_AS": "root", "DATA_DIR": str(tmp_path), "BIN": "/bin", "PORT": "8000", "MODEL_PORT": "8766"}
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    options = ServerOptions()
    options.environ_expansions = {f"ENV_{variable}": value for variable, value in os.environ.items()}
    options.read_config(str(ROOT / "config" / name))
    return list(options.configroot.supervisord.process_group_configs)


def programs(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """name -> command."""
    configs = [config for group in groups_of(name, monkeypatch, tmp_path) for config in group.process_configs]
    return {config.name: config.command for config in configs}


def groups(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, set[str]]:
    """name -> its programs."""
    found = groups_of(name, monkeypatch, tmp_path)
    return {group.name: {config.name for config in group.process_configs} for group in found}


def test_the_demo_runs_what_every_installation_runs_and_the_simulated_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = programs("supervisord.conf", monkeypatch, tmp_path)
    demo = programs("supervisord-demo.conf", monkeypatch, tmp_path)
    model = demo.pop("model")
    assert demo == usual
    assert set(usual) == {"web", "worker", "engine", "clock"}
    assert model.startswith("/bin/python manage.py simulated_model --port 8766")


def test_all_programs_are_told_to_stop_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The supervisor stops group after group, and waits for each."""
    usual = {"web", "worker", "engine", "clock"}
    assert groups("supervisord.conf", monkeypatch, tmp_path) == {"touchstone": usual}
    assert groups("supervisord-demo.conf", monkeypatch, tmp_path) == {"touchstone": {*usual, "model"}}


@pytest.mark.parametrize("name", ["supervisord.conf", "supervisord-demo.conf"])
def test_no_program_is_ever_given_up(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program that ends at once is tried again after 1, 2, 3, … seconds: for a year, and not three times."""
    configs = [config for group in groups_of(name, monkeypatch, tmp_path) for config in group.process_configs]
    assert {config.name for config in configs if sum(range(config.startretries)) < 365 * 24 * 3600} == set()
    assert all(config.autorestart for config in configs)


def test_small_installations_do_not_run_the_simulated_model() -> None:
    parser = configparser.RawConfigParser()
    parser.read(ROOT / "config" / "supervisord.conf")
    assert "program:model" not in parser.sections()


def test_a_port_that_is_taken_is_replaced_by_a_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_PORT", raising=False)
    with socket.create_server((HOST, 0)) as taken, reserved_for_model(taken.getsockname()[1]) as other:
        assert other.getsockname()[1] != taken.getsockname()[1]


def test_ports_are_held_while_the_demo_is_made_and_refused_with_their_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PORT", "MODEL_PORT"):
        monkeypatch.setenv(variable, "0")
        with reserved(variable) as held:
            monkeypatch.setenv(variable, str(held.getsockname()[1]))
            says = rf"is taken or closed to you. Choose another: {variable}=\d+ make run"
            with pytest.raises(SystemExit, match=says):
                reserved(variable)
    monkeypatch.setenv("MODEL_PORT", "many")
    with pytest.raises(SystemExit, match="MODEL_PORT must be a port"):
        reserved_for_model()


@pytest.mark.parametrize("text", ["eighty", "99999", "-1"])
def test_what_is_no_port_is_refused_in_words(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PORT", text)
    with pytest.raises(SystemExit, match="PORT must be a port"):
        reserved("PORT")


def test_a_model_whose_port_was_taken_meanwhile_gets_another_and_is_found(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # or tests.settings adds a folder for the worker
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with running_model_server(f"--port={port}", "--or-another") as server:
            assert server.base_url != base_url(port)
            assert resolve("simulated") == server.base_url


def test_a_port_that_was_named_alone_is_refused_with_the_option_that_helps() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        options = ["--port", str(taken.getsockname()[1])]
        with pytest.raises(CommandError, match="Choose another port with --port, or any free port with --or-another"):
            call_command("simulated_model", *options)


def test_the_summary_names_address_accounts_password_and_model() -> None:
    seeded = {"accounts": {"lead": "lead", "ana": "annotator"}, "password": "secret words"}
    lines = summary("http://127.0.0.1:8000", "http://127.0.0.1:8766/v1", seeded).splitlines()
    for text in ("http://127.0.0.1:8000", "http://127.0.0.1:8766/v1", "secret words", "annotator", "Ctrl+C"):
        assert any(text in line for line in lines)
    frame = [line for line in lines if line]
    assert (frame[0][0], frame[-1][0]) == ("┌", "└")
    assert len({len(line) for line in frame}) == 1


class LateHandler(BaseHTTPRequestHandler):
    """Answers the first request with 503, as a server that is not ready, and the others with 200."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(503 if len(self.asked) == 1 else 200)
        self.end_headers()

    def log_message(self, *_given: Any) -> None: ...


def test_the_address_is_announced_when_the_server_answers(capfd: pytest.CaptureFixture[str]) -> None:
    """By a process that is nobody's child here, since the supervisor waits for every child it has."""
    LateHandler.asked = []
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()
    with HTTPServer((HOST, 0), LateHandler) as server:
        announce("┌ the box ┐", server.server_port)
        server.handle_request()
        text = capfd.readouterr().out
        assert "box" not in text
        server.handle_request()
    assert LateHandler.asked == ["/healthz", "/healthz"]
    assert children.read_text() == before
    while "box" not in text:
        text += capfd.readouterr().out
    assert re.sub(r"\d+\.\d s", "seconds", text) == "6/6 Start web server and worker … seconds\n┌ the box ┐\n"


def test_nothing_is_announced_when_the_supervisor_has_ended(capsys: pytest.CaptureFixture[str]) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    with socket.create_server((HOST, 0)) as silent:
        port = silent.getsockname()[1]
    with pytest.raises(ProcessLookupError):
        print_when_it_answers("the box", port, ended.pid)
    assert "box" not in capsys.readouterr().out


def test_a_server_that_does_not_answer_in_time_is_announced_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("scripts.run.LONGEST_START", 0)
    with socket.create_server((HOST, 0)) as silent:
        port = silent.getsockname()[1]
    print_when_it_answers("the box\n", port, os.getpid())
    assert "the box\nThe web server does not answer yet after 0 s" in capsys.readouterr().out


class Scripted:
    """In place of a forked command: knows what was printed before its result was asked for."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = command

    def result(self) -> str:
        sys.stdout.write(f"[{self.command[0]}]")
        return '{"password": "secret words"}'


def test_each_step_says_its_name_before_and_its_seconds_after(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setattr("scripts.run.Forked", Scripted)
    assert make_demo() == {"password": "secret words"}
    lines = capsys.readouterr().out.splitlines()
    assert [re.sub(r"\d+\.\d s", "seconds", line) for line in lines] == [
        "2/6 Load the application … seconds",
        "3/6 Prepare the database … [migrate]seconds",
        "4/6 Load the sample data … [seed_demo]seconds",
        "5/6 Collect the files of the pages … [collectstatic]seconds",
    ]


def test_files_of_pages_are_collected_again_only_when_they_have_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setattr("scripts.run.Forked", Scripted)
    collected = []
    for content in ("first", "first", "second"):
        monkeypatch.setattr("scripts.run.static_files", lambda content=content: content)
        make_demo()
        collected.append("collectstatic" in capsys.readouterr().out)
    assert collected == [True, False, True]
    assert static_files() == static_files() != ""


def test_a_forked_command_returns_what_it_prints() -> None:
    assert Forked(["version"]).result().strip() == django.get_version()


def test_a_step_that_fails_ends_the_start_with_its_code(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        Forked(["no_such_command"]).result()
    assert end.value.code == 1
    assert "Unknown command: 'no_such_command'" in capfd.readouterr().err


def test_the_demo_notices_ten_times_a_second_that_it_is_told_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(poller.Poller, "poll", lambda _self, timeout: waited.append(timeout) or ((), ()))
    monkeypatch.setattr(poller.Poller, "__init__", lambda *_given: None)
    assert AttentivePoller(None).poll(1) == ((), ())
    assert waited == [0.1]


@pytest.mark.parametrize("name", ["gunicorn", "celery"])
def test_scripts_of_this_python_are_run_in_the_forked_process(name: str) -> None:
    path = str(Path(sys.executable).parent / name)
    assert script_of([path, "--version"]) == [path, "--version"]


def test_python_runs_the_file_it_is_given() -> None:
    assert script_of([str(Path(sys.executable).parent / "python"), "manage.py", "check"]) == ["manage.py", "check"]


def test_other_programs_are_started_as_usual(tmp_path: Path) -> None:
    (tmp_path / "gunicorn").write_text("#!/usr/bin/python\n")
    assert script_of([str(tmp_path / "gunicorn")]) is None
    assert script_of(["/bin/sh", "-c", "true"]) is None


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("print('done')", 0, "done"),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no port is left')", 1, "no port is left"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("import sys; sys.exit(len(sys.argv) != 2)", 0, ""),
    ],
)
def test_a_program_ends_with_its_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], text: str, code: int, said: str
) -> None:
    monkeypatch.setattr("scripts.supervise.atexit", SimpleNamespace(_run_exitfuncs=lambda: None))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    script = tmp_path / "program.py"
    script.write_text(text)
    assert run([str(script), "--once"]) == code
    printed = capfd.readouterr()
    assert said in printed.out + printed.err
