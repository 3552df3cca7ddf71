"""Who may go on without a program that a test needs: only a person who cannot install it."""

import os

import pytest

from tests.support.programs import program


@pytest.mark.parametrize(("uid", "ci", "outcome"), [(1000, "", "skip"), (1000, "true", "fail"), (0, "", "fail")])
def test_only_a_missing_root_skips_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, uid: int, ci: str, outcome: str
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: uid)
    monkeypatch.setenv("CI", ci)
    expected = {"skip": pytest.skip.Exception, "fail": pytest.fail.Exception}[outcome]
    with pytest.raises(expected, match="install no-such-package"):
        program("/usr/bin/no-such-program-*", "no-such-package")
