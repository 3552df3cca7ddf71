"""Who may import whom: config -> judging -> annotate -> lib. Inside an app downwards only; lib knows no app."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PURE = ("kinds", "strategies", "formats")
MODULES = sorted(path for app in ("config", "annotate", "judging", "lib") for path in (ROOT / app).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


MODEL_CLIENTS = ("openai", "aiohttp", "httpx", "httpx2")  # only annotate/llm talks to a model
SAID_TO_THE_ENGINE = {"annotate.kinds.protocol", "annotate.kinds.causes"}  # what is pure may know these of it
APPS = ("annotate", "judging")


def forbidden_for(path: Path) -> tuple[str, ...]:
    app, *inner = path.relative_to(ROOT).parts
    if app == "config":
        return ()
    if app == "lib":
        own_server = () if inner[0] == "simulated" else (*MODEL_CLIENTS, *NETWORK)
        return ("config", *APPS, "django.db", "django.apps", *own_server)
    layer = inner[0].removesuffix(".py")
    apps = ("config", "judging") if app == "annotate" else ("config",)
    if layer == "llm":
        return (*apps, *of_both("views", "api", "management", "tasks", "services", "purposes", "kinds"))
    apps = (*apps, *MODEL_CLIENTS)
    below = of_both("views", "api", "management", "tasks")
    if layer in PURE:
        return (*apps, *below, *of_both("models", "services", "purposes", "llm"), "django.db", *NETWORK)
    if layer == "models":
        return (*apps, *below, *of_both("services", "purposes", "llm"))
    if layer == "purposes":
        return (*apps, *below)
    if layer == "services":
        return (*apps, *(name for name in below if not name.endswith(".tasks")))
    return apps


def of_both(*layers: str) -> tuple[str, ...]:
    return tuple(f"{app}.{layer}" for app in APPS for layer in layers)


# The contract between kinds and the engine, and a list of choices that is no table.
FREE = {"annotate.kinds.protocol", "annotate.kinds.causes", "django.db.models.enums"}
NETWORK = ("requests", "urllib.request", "socket")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    rules = forbidden_for(path)
    wrong = [name for name in imported(path) if any(name == rule or name.startswith(f"{rule}.") for rule in rules)]
    assert [name for name in wrong if name not in FREE] == []


def test_the_rules_see_every_app() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == {"config", "annotate", "judging", "lib"}
