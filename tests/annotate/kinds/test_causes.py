import re
from pathlib import Path

from annotate.kinds.protocol import WORTH_ANOTHER_ATTEMPT, Cause

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "causes.md").read_text()
ROWS = dict(re.findall(r"^\| `([a-z_]+)` \| .* \| (yes|no)[^|]* \| [^|]* \|$", PAGE, re.MULTILINE))


def test_the_list_is_closed_and_short() -> None:
    assert len(Cause) <= 20
    assert not {"unknown", "other", "error"} & set(Cause.values)
    assert all(len(cause) <= 20 for cause in Cause)


def test_the_page_says_of_every_cause_whether_another_attempt_is_made() -> None:
    assert list(ROWS) == Cause.values
    assert {cause for cause, again in ROWS.items() if again == "yes"} == WORTH_ANOTHER_ATTEMPT
