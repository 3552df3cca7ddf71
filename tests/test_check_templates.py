"""The check of `make lint` that keeps template lines short."""

from pathlib import Path

import pytest

from scripts import check_templates


def checked(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> str:
    """What the check says of one template; empty where it passes."""
    (folder / "templates").mkdir()
    (folder / "templates" / "page.html").write_text(text)
    monkeypatch.setattr(check_templates, "ROOT", folder)
    try:
        check_templates.main()
    except SystemExit as stop:
        return str(stop.code)
    return ""


def test_no_template_has_a_long_line() -> None:
    check_templates.main()


def test_a_long_line_is_named_with_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message = checked(monkeypatch, tmp_path, f"<p>\n{'x' * 121}\n</p>\n")
    assert message.startswith("templates/page.html:2: 121 characters, at most 120\n")


def test_a_line_may_be_full(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert checked(monkeypatch, tmp_path, "x" * 120 + "\n") == ""
