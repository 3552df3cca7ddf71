"""Defaults of options are part of what a judge is: its identity names only what differs from them (decision 36)."""

import json
from pathlib import Path

from judging.strategies.strategy import strategies

RECORDED = json.loads(Path(__file__).with_name("option_defaults.json").read_text())


def test_no_default_has_changed_under_the_name_of_a_strategy() -> None:
    """A new option may be added here, with the default that does what was done before. A default is never edited."""
    today = {slug: strategy.options().model_dump(mode="json") for slug, strategy in strategies().items()}
    assert {slug: options for slug, options in today.items() if slug in RECORDED} == RECORDED
    assert set(today) == set(RECORDED), "Record the new strategy in option_defaults.json."
