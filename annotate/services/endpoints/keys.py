"""The keys of model services: they stand in the environment, and only the variable's name is known here."""

import os
import re

from django.utils.translation import gettext as _

from annotate.models import Endpoint
from annotate.services.errors import Refused

# Capitals only: what has small letters is more likely the key itself, and that must not be stored.
NAME = re.compile(r"[A-Z][A-Z0-9_]{0,79}")
OURS = {"SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL", "EMAIL_URL", "DEMO_PASSWORD"}
HIDDEN = "•••"


def read_name(text: str) -> str:
    """The name of a variable, or empty for a service without key. Raises Refused; never repeats what was given."""
    name = text.strip()
    if name and not NAME.fullmatch(name):
        raise Refused(
            _(
                "This is not the name of an environment variable: capitals, digits and _ only, such as MODEL_KEY. "
                "If it was the key itself: it was not stored. Put it into the environment of the server under a name."
            )
        )
    if name in OURS:
        raise Refused(
            _("%(name)s is a secret of this installation. Name the variable of the service's key.") % {"name": name}
        )
    return name


def key_is_set(endpoint: Endpoint) -> bool:
    """Whether the variable holds something here, in this process; a service without key needs none."""
    return not endpoint.key_env or bool(os.environ.get(endpoint.key_env, "").strip())


def without_key(text: str, endpoint: Endpoint) -> str:
    """What a service said, with its key made unreadable: some repeat it when they refuse it."""
    key = os.environ.get(endpoint.key_env, "").strip() if endpoint.key_env else ""
    return text.replace(key, HIDDEN) if key else text
