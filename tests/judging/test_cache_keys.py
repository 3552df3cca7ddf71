"""Cache keys change with the source that computes the cached value; nobody counts versions by hand."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from django.core.cache import caches

from judging.cache import ROOT, cached, module_digests, source_digest

FILES = {
    "judging/__init__.py": "",
    "judging/board.py": "from judging.numbers import (\n    mean,\n)\n",
    "judging/numbers.py": "def mean():\n    from lib.stats import means\n    return means.MEAN\n",
    "judging/alone.py": "import re\n",
    "judging/kinds/__init__.py": "from pkgutil import iter_modules\n",
    "judging/kinds/pair/kind.py": "KIND = 1\n",
    "lib/stats/__init__.py": "",
    "lib/stats/means.py": "MEAN = 1\n",
}


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Path]:
    """Folders with equal source, one after the other: the digests of a folder are computed once."""
    return (_folder(tmp_path / str(number)) for number in range(10))


def _folder(root: Path) -> Path:
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def _changed(root: Path, name: str) -> Path:
    (root / name).write_text(f"{FILES[name]}#")
    return root


def test_equal_source_has_one_digest_in_every_folder(roots: Iterator[Path]) -> None:
    assert source_digest("judging.board", next(roots)) == source_digest("judging.board", next(roots))


IMPORTED = ["judging/board.py", "judging/numbers.py", "lib/stats/means.py", "judging/__init__.py"]


@pytest.mark.parametrize("name", IMPORTED)
def test_one_byte_of_whatever_is_imported_changes_the_digest(roots: Iterator[Path], name: str) -> None:
    before = source_digest("judging.board", next(roots))
    assert source_digest("judging.board", _changed(next(roots), name)) != before


def test_a_package_that_looks_for_its_modules_counts_with_all_of_them(roots: Iterator[Path]) -> None:
    before = source_digest("judging.kinds", next(roots))
    assert source_digest("judging.kinds", _changed(next(roots), "judging/kinds/pair/kind.py")) != before


def test_what_is_not_imported_does_not_count(roots: Iterator[Path]) -> None:
    before = source_digest("judging.board", next(roots))
    assert source_digest("judging.board", _changed(next(roots), "judging/alone.py")) == before


def test_another_process_has_the_same_digest() -> None:
    """Whatever it imported, and whatever its hashes are seeded with."""
    program = "import django; django.setup()\n"
    program += "from judging.cache import source_digest; print(source_digest('judging.ratings.tables'))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == source_digest("judging.ratings.tables")


def test_another_source_of_the_computing_module_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    caches["local"].clear()
    modules: list[str] = []

    def digest(module: str) -> str:
        modules.append(module)
        return f"source-{len(modules)}"

    monkeypatch.setattr("judging.cache.source_digest", digest)
    values = count(1)
    assert [cached("test", "a", lambda: next(values)) for _time in range(2)] == [1, 2]
    assert cached("test", "a", partial(int, "3")) == 3
    assert modules == [__name__, __name__, "builtins"]


def test_a_name_may_be_longer_than_a_key_of_the_cache(recwarn: pytest.WarningsRecorder) -> None:
    caches["local"].clear()
    name = "statistics:" + ":".join(["a model with a long name"] * 20)
    assert [cached(name, "state", partial(str, 1)) for _time in range(2)] == ["1", "1"]
    assert [str(warning.message) for warning in recwarn] == []


def test_real_import_lines_are_understood() -> None:
    """Lines with brackets, modules imported by name, and kinds that are found by their folder."""
    names = module_digests("judging.boards.trust.numbers")
    assert {"judging.boards.trust.biases", "judging.ratings.units", "lib.stats.labels"} <= names.keys()
    assert {"judging.verdicts.verdict_scores", "annotate.kinds.preference.kind"} <= names.keys()


COUNTED = re.compile(r"(^|_)(VERSION|REVISION|GENERATION|SHAPES?)(_|$)")


def test_no_cache_key_has_a_version_that_is_counted_by_hand() -> None:
    """No module that caches has a constant named as a version, and no name of a cached value has a number in it."""
    wrong = []
    for path in sorted([*ROOT.glob("annotate/**/*.py"), *ROOT.glob("judging/**/*.py")]):
        text = path.read_text()
        if re.search(r"\bcached\(|\bcaches\[|\bstates_of\(", text):
            tree = ast.walk(ast.parse(text))
            wrong += [f"{path.relative_to(ROOT)}: {name}" for node in tree for name in _counted_by_hand(node)]
    assert wrong == []


def _counted_by_hand(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
        yield from (name.id for name in node.targets if isinstance(name, ast.Name) and COUNTED.search(name.id))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cached":
        constants = [part for word in node.args[:2] for part in ast.walk(word) if isinstance(part, ast.Constant)]
        yield from (str(part.value) for part in constants if re.search(r"\d", str(part.value)))


def test_the_rule_sees_versions_counted_by_hand() -> None:
    text = "VERSION = 3\nTABLE_VERSION = '4'\ncached('trust2', f'{state}', made)\ncached('trust', state, made)"
    wrong = [name for node in ast.walk(ast.parse(text)) for name in _counted_by_hand(node)]
    assert wrong == ["VERSION", "TABLE_VERSION", "trust2"]
