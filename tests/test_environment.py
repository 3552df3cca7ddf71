import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import log_format, log_level, origins


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", []),
        ("https://models.example.org", ["https://models.example.org"]),
        (
            " HTTPS://Models.example.org/ , http://127.0.0.1:8001,",
            ["https://models.example.org", "http://127.0.0.1:8001"],
        ),
        ("http://[::1]:8001", ["http://[::1]:8001"]),
    ],
)
def test_origins_are_a_list(monkeypatch: pytest.MonkeyPatch, written: str, read: list[str]) -> None:
    monkeypatch.setenv("MODEL_ORIGINS", written)
    assert origins("MODEL_ORIGINS") == read


def test_without_the_variable_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_ORIGINS", raising=False)
    assert origins("MODEL_ORIGINS") == []


@pytest.mark.parametrize(
    "written",
    [
        *("models.example.org", "https://models.example.org/v1", "https://*.example.org", "ftp://models.example.org"),
        *("https://u:p@models.example.org", "*", "https://", "https://a b", "https://a;https://b", "http://a:x"),
    ],
)
def test_anything_else_stops_the_start_and_names_itself(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("MODEL_ORIGINS", f"https://fine.example,{written}")
    with pytest.raises(ImproperlyConfigured, match=r"MODEL_ORIGINS holds .*Write scheme, host and port only"):
        origins("MODEL_ORIGINS")


def test_a_log_level_is_read_in_any_case_and_anything_else_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOG_LEVEL", raising=False)
    assert log_level("LOG_LEVEL", "INFO") == "INFO"
    monkeypatch.setenv("LOG_LEVEL", "warning")
    assert log_level("LOG_LEVEL", "INFO") == "WARNING"
    monkeypatch.setenv("LOG_LEVEL", "loud")
    with pytest.raises(ImproperlyConfigured, match="LOG_LEVEL must be one of DEBUG, INFO"):
        log_level("LOG_LEVEL", "INFO")


def test_lines_are_for_people_or_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOG_FORMAT", raising=False)
    assert log_format("LOG_FORMAT") == "line"
    monkeypatch.setenv("LOG_FORMAT", "JSON")
    assert log_format("LOG_FORMAT") == "json"
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT must be one of line, json, not 'xml'"):
        log_format("LOG_FORMAT")
