"""The second try of failed tests: only of a few, and only with success if all pass then."""

import json
from pathlib import Path

import pytest

from scripts import test_again

PASSES = "def test_it() -> None: pass\n"
FAILS = "def test_it() -> None: assert False\n"


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(test_again, "LAST_FAILED", tmp_path / "lastfailed")
    return tmp_path / "lastfailed"


def test_nothing_failed_or_too_much_is_not_tried(failed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert test_again.main() == 1
    failed.write_text(json.dumps({f"tests/test_a.py::test_{number}": True for number in range(6)}))
    assert test_again.main() == 1
    assert "6 tests failed" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "code"), [(PASSES, 0), (FAILS, 1)])
def test_what_fails_twice_fails(
    failed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int
) -> None:
    file = tmp_path / "test_tried.py"
    file.write_text(text)
    failed.write_text(json.dumps({f"{file}::test_it": True}))
    assert test_again.main() == code
    assert (f"shows under load: find it.\n{file}::test_it" in capsys.readouterr().out) is (code == 0)
