"""What `make run` starts, without starting it."""

import configparser
import os
import socket
from pathlib import Path

import pytest
from supervisor.options import ServerOptions

from scripts.run import free_port

ROOT = Path(__file__).resolve().parents[1]


def programs(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """name -> command, as supervisord reads the file."""
    given = {"RUN_AS": "root", "DATA_DIR": str(tmp_path), "BIN": "/bin", "PORT": "8000", "MODEL_PORT": "8766"}
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    options = ServerOptions()
    options.environ_expansions = {f"ENV_{variable}": value for variable, value in os.environ.items()}
    options.read_config(str(ROOT / "config" / name))
    configs = [
        config for group in options.configroot.supervisord.process_group_configs for config in group.process_configs
    ]
    return {config.name: config.command for config in configs}


def test_the_demo_runs_what_every_installation_runs_and_the_simulated_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = programs("supervisord.conf", monkeypatch, tmp_path)
    demo = programs("supervisord-demo.conf", monkeypatch, tmp_path)
    model = demo.pop("model")
    assert demo == usual
    assert set(usual) == {"web", "worker", "engine", "clock"}
    assert model.startswith("/bin/python manage.py simulated_model --port 8766")


def test_small_installations_do_not_run_the_simulated_model() -> None:
    parser = configparser.RawConfigParser()
    parser.read(ROOT / "config" / "supervisord.conf")
    assert "program:model" not in parser.sections()


def test_a_port_that_is_taken_is_replaced_by_a_free_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wished = taken.getsockname()[1]
        found = int(free_port(wished))
    assert found != wished
    assert free_port(found) == str(found)
