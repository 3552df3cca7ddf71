"""Who may import whom (docs/decisions, DESIGN): config -> judging -> annotate, and inside an app downwards only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PURE = ("kinds", "strategies", "metrics", "formats", "texts")
MODULES = sorted(path for app in ("config", "annotate", "judging") for path in (ROOT / app).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def forbidden_for(path: Path) -> tuple[str, ...]:
    app, *inner = path.relative_to(ROOT).parts
    if app == "config":
        return ()
    apps = ("config", "judging") if app == "annotate" else ("config",)
    layer = inner[0].removesuffix(".py")
    below = tuple(
        f"{own}.{name}" for own in ("annotate", "judging") for name in ("views", "api", "management", "tasks")
    )
    if layer in PURE:
        services = tuple(f"{own}.{name}" for own in ("annotate", "judging") for name in ("models", "services"))
        return (*apps, *below, *services, "django.db", "httpx", "openai", "requests", "urllib.request", "socket")
    if layer == "models":
        return (*apps, *below, "annotate.services", "judging.services")
    if layer == "services":
        return (*apps, *(name for name in below if not name.endswith(".tasks")))
    return apps


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    rules = forbidden_for(path)
    wrong = [name for name in imported(path) if any(name == rule or name.startswith(f"{rule}.") for rule in rules)]
    assert wrong == []


def test_the_rules_see_every_app() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in MODULES} == {"config", "annotate", "judging"}
