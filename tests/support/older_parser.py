"""Settings of an installation before an update: its parser takes JSON only where nothing stands around it.

A restart with config.settings is the update.
"""

from annotate.llm import reading
from config.settings import *  # noqa: F403

reading._embedded = lambda _text, _opening: iter(())
