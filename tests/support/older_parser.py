"""Settings of an installation before an update: its parser takes JSON only where nothing stands around it.

A restart with config.settings is the update.
"""

from annotate.engine import replies
from config.settings import *  # noqa: F403

replies._embedded = lambda _text, _opening: iter(())
