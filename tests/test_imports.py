"""Who may import whom: config -> judging -> annotate -> lib, and in each of them upper rooms -> lower rooms.

A room is a folder of an app, or a module beside the folders. Late imports count, and so does the name of a module in a
string: both are ways to reach up unseen.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOP = ("config", "annotate", "judging", "lib")

# From the lowest room to the highest. A room imports itself and what is listed before it.
ANNOTATE = [
    "prepared",
    "sqlite_hints",
    "kinds",
    "models",
    "formats",
    "errors",
    "acting",
    "audit",
    "hidden_checks",
    "web",
    "option_forms",
    "bulk_rows",
    "durable",
    "circuit_breaker",
    "bell",
    "rights",
    "media.storage",
    "engine",
    "saved_views",
    "notices",
    "audit.pages",
    "items",
    "media",
    "intake",
    "definitions",
    "project",
    "guidelines",
    "readiness",
    "work",
    "definitions.pages",
    "definitions.conversion_pages",
    "people",
    "quality",
    "runs",
    "doors",
    "templatetags",
    "releases",
    "purposes",
    "prompts",
    "review",
    "survey",
    "chores",
    "api",
    "upkeep",
    "management",
    "tasks",
    "urls",
    "apps",
    "migrations",
]
JUDGING = [
    "models",
    "readers",
    "strategies",
    "access",
    "results",
    "patience",
    "cache",
    "formats",
    "answers",
    "verdicts",
    "ratings",
    "boards.report",
    "boards.options",
    "boards.files",
    "boards.printing",
    "boards.needs",
    "boards.board",
    "templatetags",
    "training",
    "studies",
    "purposes",
    "boards.computations",
    "boards.waiting",
    "boards.frame",
    "boards",
    "chores",
    "demo",
    "intake",
    "boards.navigation",
    "management",
    "urls",
    "hooks",
    "apps",
    "migrations",
]
PURE = ("annotate.kinds", "annotate.formats", "judging.strategies", "judging.formats", "judging.readers")
NETWORK = {"requests", "urllib.request", "socket"}
MODEL_CLIENTS = {"openai", "aiohttp", "httpx", "httpx2"}  # only annotate/engine talks to a model
# A kind's tables and choices are no tables of the database.
NO_TABLES = {"django.db.models.enums"}


@cache
def modules() -> dict[str, Path]:
    """dotted name -> file, of everything that the product consists of."""
    names = {}
    for top in TOP:
        for path in sorted((ROOT / top).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            names[name.removesuffix(".__init__")] = path
    return names


@cache
def uses(module: str, *, packages: bool = False) -> frozenset[str]:
    """All that a module imports at any place, and the modules of ours that its strings name.

    packages: also what strings name that is a folder, or is in one; "annotate.project" is also the name of a table.
    """
    nodes = list(ast.walk(ast.parse(modules()[module].read_text())))
    strings = (_dotted(node) for node in nodes) if packages else ()
    return frozenset([*(name for node in nodes for name in _named(node)), *filter(None, strings)])


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for name in node.names:
            submodule = f"{node.module}.{name.name}"
            yield submodule if submodule in modules() else node.module
    else:
        yield from _modules_in(_dotted(node))


def _dotted(node: ast.AST) -> str:
    """The dotted name that a string is; "" if it is none."""
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_string and re.fullmatch(r"[a-z_]+(\.\w+)+", node.value) else ""


def _modules_in(dotted: str) -> Iterator[str]:
    """The longest beginning of a dotted name that is a file; "annotate.project" is also the name of a table."""
    parts = dotted.split(".")
    for end in range(len(parts), 1, -1):
        path = modules().get(".".join(parts[:end]))
        if path and path.name != "__init__.py":
            yield ".".join(parts[:end])
            return


def room(module: str) -> tuple[str, str]:
    """(app, room)"""
    app, _dot, inner = module.partition(".")
    rooms = {"annotate": ANNOTATE, "judging": JUDGING}.get(app, [])
    fitting = [name for name in rooms if inner == name or inner.startswith(f"{name}.")]
    return app, max(fitting, key=len, default=inner.split(".")[0])


def ours(names: frozenset[str]) -> list[str]:
    """Those of our modules; the bare package of a registry, whose folders it walks, is no arrow."""
    return [name for name in names if name.split(".")[0] in TOP and name in modules() and name != "judging.boards"]


def test_every_module_belongs_to_a_room() -> None:
    for module in modules():
        app, name = room(module)
        known = {"annotate": ANNOTATE, "judging": JUDGING}.get(app)
        assert known is None or not name or name in known, f"{module}: list its room in tests/test_imports.py"


def test_apps_import_downwards() -> None:
    order = ("lib", "annotate", "judging", "config")
    # Settings are read by all; what else config holds is called by Django, Celery and gunicorn.
    free = {"config.environment", "config.celery", "config.wsgi"}
    wrong = [
        f"{module} -> {name}"
        for module in modules()
        for name in ours(uses(module))
        if order.index(name.split(".")[0]) > order.index(module.split(".")[0]) and name not in free
    ]
    assert wrong == []


def test_rooms_import_downwards() -> None:
    wrong = []
    for module in modules():
        app, name = room(module)
        rooms = {"annotate": ANNOTATE, "judging": JUDGING}.get(app, [])
        for used in ours(uses(module)):
            used_app, used_name = room(used)
            if used_app == app and rooms and name and used_name and rooms.index(used_name) > rooms.index(name):
                wrong.append(f"{module} -> {used}")
    assert wrong == []


def test_boards_do_not_know_each_other() -> None:
    boards = {module: module.split(".")[2] for module in modules() if module.startswith("judging.boards.")}
    wrong = [
        f"{module} -> {used}"
        for module, board in boards.items()
        if "." in module.removeprefix("judging.boards.")
        for used in ours(uses(module))
        if used in boards and "." in used.removeprefix("judging.boards.") and boards[used] != board
    ]
    assert wrong == []


def test_only_kinds_import_a_single_kind() -> None:
    """What is true of one kind only is said by the kind: removing its folder breaks nothing else."""
    folders = {path.parent.name for path in (ROOT / "annotate/kinds").glob("*/kind.py")}
    assert folders
    wrong = [
        f"{module} -> {name}"
        for module in modules()
        if not module.startswith("annotate.kinds.")
        for name in uses(module, packages=True)
        if name.startswith("annotate.kinds.") and name.split(".")[2] in folders
    ]
    assert wrong == []


def test_kinds_strategies_and_formats_touch_no_tables_and_no_network() -> None:
    forbidden = {"django.db", "annotate.models", "judging.models", *NETWORK, *MODEL_CLIENTS}
    wrong = [
        f"{module} -> {name}"
        for module in modules()
        if module.startswith(PURE)
        for name in uses(module) - NO_TABLES
        if any(name == each or name.startswith(f"{each}.") for each in forbidden)
    ]
    assert wrong == []


def test_lib_knows_no_app_and_no_table() -> None:
    forbidden = {"django.db", "django.apps", *NETWORK, *MODEL_CLIENTS}
    wrong = [
        f"{module} -> {name}"
        for module in modules()
        if module.startswith("lib.")
        for name in uses(module)
        if any(name == each or name.startswith(f"{each}.") for each in forbidden)
        and not (module.startswith("lib.simulated.") and name in MODEL_CLIENTS | {"socket"})
    ]
    assert wrong == []


def test_only_the_engine_talks_to_models() -> None:
    wrong = [
        f"{module} -> {name}"
        for module in modules()
        if module.startswith(("annotate.", "judging.")) and not module.startswith("annotate.engine.")
        for name in uses(module)
        if name.split(".")[0] in MODEL_CLIENTS
    ]
    assert wrong == []


def test_the_rules_see_late_imports_and_strings() -> None:
    tree = ast.parse(
        "def f():\n    from judging import access\n    g('judging.access.member')\n    h('annotate.project')"
    )
    assert [name for node in ast.walk(tree) for name in _named(node)] == ["judging.access", "judging.access"]
    tree = ast.parse("find('annotate.kinds.prompt')\nfind('annotate.kinds.prompt.kind')\nfind('a prompt.')")
    assert [_dotted(node) for node in ast.walk(tree) if _dotted(node)] == [
        "annotate.kinds.prompt",
        "annotate.kinds.prompt.kind",
    ]


def test_the_product_does_not_use_the_test_framework() -> None:
    wrong = [module for module in modules() for name in uses(module) if f"{name}.".startswith("django.test.")]
    assert wrong == []
