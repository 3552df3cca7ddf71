"""Modules found by their place."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.discovery import discover, existing, module_names


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package with two modules and two folders; one of each sets a value."""
    files = {
        "plain.py": "",
        "b.py": "WORD = 'b'",
        "a.py": "WORD = 'a'",
        "full/inner.py": "WORD = 'full'",
        "empty/other.py": "WORD = 'other'",
    }
    for name, text in files.items():
        file = tmp_path / "found_by_place" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield "found_by_place"
    for module in [name for name in sys.modules if name.split(".")[0] == "found_by_place"]:
        del sys.modules[module]


def test_values_come_in_the_order_of_the_modules(package: str) -> None:
    assert discover(package, "WORD") == ["a", "b"]


def test_values_of_folders_come_from_their_inner_module(package: str) -> None:
    assert discover(package, "WORD", "inner") == ["full"]


def test_names_are_given_without_importing_the_modules(package: str) -> None:
    assert module_names(package, "inner") == ["found_by_place.full.inner"]
    assert "found_by_place.full.inner" not in sys.modules
    assert existing([f"{package}.a", f"{package}.c"]) == ["found_by_place.a"]


def test_a_module_that_cannot_be_imported_is_not_passed_over(package: str, tmp_path: Path) -> None:
    (tmp_path / package / "broken.py").write_text("raise RuntimeError('broken')")
    with pytest.raises(RuntimeError, match="broken"):
        discover(package, "WORD")
