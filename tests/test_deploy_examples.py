"""The examples of docs/deploy name programs, variables and folders that exist: without them nothing would start."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotate.engine import concurrency
from tests.support.installation import ROOT

DEPLOY = ROOT / "docs" / "deploy"
README = (ROOT / "README.md").read_text()
UNITS = sorted(DEPLOY.glob("*.service"))
OF_COMPOSE = {"POSTGRES_PASSWORD"}  # for its database; becomes part of DATABASE_URL
EXIT = 5.0  # seconds that Celery takes to end when nothing is in flight
KEYS = {"MODEL_KEY"}  # an example of a name that an endpoint gives


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return read


def variables() -> set[str]:
    table = README[README.index("## Configuration") : README.index("## More")]
    return set(re.findall(r"^\| `([A-Z_]+)`", table, re.MULTILINE))


def supervisor_file() -> str:
    return (ROOT / "config" / "supervisord.conf").read_text()


def supervised() -> list[str]:
    """The commands of `make run`, without where their programs lie."""
    told = supervisor_file()
    return [command.replace("%%", "%") for command in re.findall(r"^command = \S+?/(\w+ .*)$", told, re.MULTILINE)]


def same_program(command: str) -> bool:
    """Numbers and addresses may differ."""
    words = [word for word in command.split() if not re.search(r"\d", word)]
    return any(all(word in other for word in words) for other in supervised())


def test_every_variable_of_the_settings_file_is_one_of_ours() -> None:
    named = set(re.findall(r"^(?:# )?([A-Z_]+)=", (DEPLOY / "touchstone.env").read_text(), re.MULTILINE))
    assert named - KEYS <= variables()


def test_every_variable_of_the_containers_is_one_of_ours(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    assert set(compose["x-touchstone"]["environment"]) <= variables()
    assert set(re.findall(r"\$\{([A-Z_]+)", text)) - OF_COMPOSE <= variables()


def test_containers_run_the_programs_of_the_supervisor(compose: dict[str, Any]) -> None:
    programs = [name for name in compose["services"] if name not in ("set-up", "database", "broker")]
    asked = {name: compose["services"][name].get("command") or in_image() for name in programs}
    assert len(asked) == len(supervised())
    assert {name for name, command in asked.items() if not same_program(command)} == set()


def in_image() -> str:
    command = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert command
    return " ".join(yaml.safe_load(command[1]))


def test_containers_wait_for_services_that_are_there(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        assert set(service.get("depends_on", {})) <= set(compose["services"])
    host = re.search(r"@(\w+)/", compose["x-touchstone"]["environment"]["DATABASE_URL"])
    assert host
    assert host[1] in compose["services"]
    mounted = {volume.split(":")[0] for one in compose["services"].values() for volume in one.get("volumes", [])}
    assert mounted == set(compose["volumes"])


def test_only_a_proxy_on_the_same_machine_reaches_the_containers(compose: dict[str, Any]) -> None:
    open_ports = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert open_ports == ["127.0.0.1:8000:8000"]


def test_files_of_the_image_are_there() -> None:
    copied = re.findall(r"(?:COPY|python) ((?:[\w./]+\.(?:lock|py)))", (DEPLOY / "Dockerfile").read_text())
    assert copied
    assert all((ROOT / name).is_file() for name in copied)


@pytest.mark.parametrize("name", [".env", "var", ".git", ".venv"])
def test_no_key_and_no_data_comes_into_an_image(name: str) -> None:
    assert name in (ROOT / ".dockerignore").read_text().splitlines()


def test_nothing_here_starts_the_simulated_model() -> None:
    read = [
        path for path in DEPLOY.iterdir() if path.suffix in (".service", ".yaml", ".env") or path.stem == "Dockerfile"
    ]
    assert len(read) > len(UNITS)
    assert [path.name for path in read if re.search("simulated|seed_demo|DEBUG", path.read_text())] == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_is_one_that_systemd_understands(unit: Path, tmp_path: Path) -> None:
    """As it stands, but for the folder of the program, which is this one here. Without systemd, its form only."""
    text = unit.read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"\[(Unit|Service|Install)\]|[A-Z]\w+=.+", line) for line in lines)
    program = shutil.which("systemd-analyze")
    if program is None:
        return
    here = tmp_path / unit.name
    here.write_text(text.replace("/opt/touchstone", str(ROOT)).replace("User=touchstone\n", ""))
    told = subprocess.run([program, "verify", "--man=no", str(here)], capture_output=True, text=True, check=False)
    assert unit.name not in told.stderr, told.stderr


def test_slow_clients_wait_at_the_proxy() -> None:
    """As nginx reads it; nginx itself is not started here."""
    server = (DEPLOY / "nginx.conf").read_text().rpartition("server {")[2].partition("location")[0]
    directives = dict(re.findall(r"^ +(\w+) +([^;]+);$", server, re.MULTILINE))
    assert {directives[name] for name in ("proxy_buffering", "proxy_request_buffering")} == {"on"}
    assert {"client_header_timeout", "client_body_timeout", "send_timeout"} <= directives.keys()
    assert re.fullmatch(r"\d+m", directives["proxy_max_temp_file_size"])
    assert "buffering off" not in (DEPLOY / "nginx.conf").read_text()


def test_the_guide_names_every_unit_and_the_folder_they_may_write() -> None:
    guide = (DEPLOY / "README.md").read_text()
    folder = re.search(r"^DATA_DIR=(.+)$", (DEPLOY / "touchstone.env").read_text(), re.MULTILINE)
    assert folder
    for unit in UNITS:
        assert f"]({unit.name})" in guide
        assert f"ReadWritePaths={folder[1]}" in unit.read_text()


@pytest.mark.parametrize("name", ["engine", "worker"])
def test_a_worker_that_is_stopped_has_the_time_to_hand_its_jobs_back(name: str, compose: dict[str, Any]) -> None:
    """The signal goes to the parent alone, and whoever kills it waits longer than it may take."""
    unit = (DEPLOY / f"touchstone-{name}.service").read_text()
    assert "KillMode=mixed" in unit
    supervisor = re.search(rf"\[program:{name}\].*?stopwaitsecs = (\d+)", supervisor_file(), re.DOTALL)
    allowed = [
        int(re.findall(r"TimeoutStopSec=(\d+)", unit)[0]),
        int(compose["services"][name]["stop_grace_period"].removesuffix("s")),
        int(supervisor[1] if supervisor else 0),
    ]
    assert min(allowed) > concurrency.GRACE + concurrency.CLEARING + EXIT
