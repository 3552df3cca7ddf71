"""Settings of an installation before an update: its parser takes JSON only where nothing stands around it.

A restart with config.settings is the update.
"""

from config.settings import *  # noqa: F403

INSTALLED_APPS += ["tests.support.older_parser_app.OlderParser"]  # noqa: F405
