"""The settings of a real installation, without what only costs time. Loaded instead of config.settings by pytest."""

import os
import tempfile

os.environ.setdefault("DATA_DIR", f"{tempfile.gettempdir()}/touchstone-tests-{os.getuid()}")
if "PYTEST_XDIST_WORKER" in os.environ:  # tests beside each other do not see each other's files
    os.environ["DATA_DIR"] += f"/{os.environ['PYTEST_XDIST_WORKER']}"
os.environ.update(
    SECRET_KEY="only-for-tests-and-never-for-an-installation-" + "x" * 20,
    DEBUG="false",
    HTTPS="false",
    DATABASE_URL="sqlite://:memory:",
    EMAIL_URL="memorymail://",
    # Tests beside each other are the parallel part; more threads in each only take the processors from one another.
    OPENBLAS_NUM_THREADS="1",
    # Playwright keeps an event loop in the process; Django would refuse the database to all later tests of the worker.
    DJANGO_ALLOW_ASYNC_UNSAFE="true",
)

from config.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"  # noqa: F405
# Beside each other, too: pytest-django knows no backend but Django's own as one that may stay in memory.
DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # noqa: F405
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 - empty: nothing is collected, and no client of a test is warned of it
MIDDLEWARE = [*MIDDLEWARE, "tests.support.markup.flat_markup"]  # noqa: F405
