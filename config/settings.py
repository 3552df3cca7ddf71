"""All settings in one file; what differs between installations comes from the environment (and .env)."""

from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _
from kombu.entity import Queue

from config.environment import data_folder, env, log_format, log_level, origins, secret_key, whole_number
from lib.discovery import module_names

BASE_DIR = Path(__file__).resolve().parent.parent
env.read_env(str(BASE_DIR / ".env"))

DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = data_folder(BASE_DIR / "var")
SECRET_KEY = secret_key(debug=DEBUG, folder=DATA_DIR)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
PORT = whole_number("PORT", 8000, least=1)
SITE_URL = env.str("SITE_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
HTTPS = env.bool("HTTPS", default=not DEBUG)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "annotate",
    "judging",
]

SILENCED_SYSTEM_CHECKS = ["templates.W003"]  # the library `i18n` takes the place of Django's on purpose

MIDDLEWARE = [
    "annotate.web.middleware.RequestIds",
    "annotate.web.middleware.GuardedAnswers",
    "annotate.upkeep.probes.Probes",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotate.web.middleware.OnlyReadAndPosted",
    "annotate.web.middleware.NamedRedirects",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "annotate.web.middleware.CompressedPages",
    "annotate.web.middleware.SlashAppended",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotate.web.middleware.Acting",
    "annotate.web.middleware.PersonLocaleMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "annotate.web.middleware.UploadLimit",
    "annotate.web.middleware.DownloadLimit",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

FORM_RENDERER = "annotate.web.form_renderer.FormRenderer"
TEMPLATES = [
    {
        "BACKEND": "annotate.templatetags.page_templates.PageTemplates",
        "NAME": "django",
        # A kind's folder holds its own two templates, found as "<kind>/material.html" and "<kind>/form.html"; a board's
        # folder may hold its own too.
        "DIRS": [BASE_DIR / "templates", BASE_DIR / "annotate" / "kinds", BASE_DIR / "judging" / "boards"],
        "OPTIONS": {
            "builtins": ["annotate.templatetags.page_addresses"],
            # `{% load blindspots %}`: a board's folder may bring the tags that only it needs.
            "libraries": {
                # In place of Django's: fixed texts are translated once.
                "i18n": "annotate.templatetags.fixed_texts",
                **{tags.split(".")[2]: tags for tags in module_names("judging.boards", "tags")},
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "annotate.web.access.shell",
            ],
            "loaders": [
                (
                    "annotate.templatetags.fixed_parts.Loader",
                    ["django.template.loaders.filesystem.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
        },
    }
]

# --- database -------------------------------------------------------------------------------------------------------
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'touchstone.sqlite3'}")}
DATABASE_CONNECTIONS = whole_number("DATABASE_CONNECTIONS", 16, least=1)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "config.sqlite"
    # FULL: data that was reported as stored survives a power cut (docs/decisions/0022-stored-is-on-the-disk.md).
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=0; "
        "PRAGMA wal_autocheckpoint=4000; PRAGMA cache_size=-16000; PRAGMA secure_delete=ON;",
    }
else:
    # One pool per process, so that the number of connections depends on a setting and not on the number of visitors.
    DATABASES["default"]["OPTIONS"] = {
        "pool": {"min_size": 1, "max_size": DATABASE_CONNECTIONS, "timeout": 20},
        # Compiling a statement takes seconds of a processor at a million items, where the statement takes milliseconds.
        "options": "-c jit=off",
        # Where packets get lost, a connection is given up within 30 seconds. By itself Linux waits for a quarter of an
        # hour, or for two hours if there is nothing to send.
        "connect_timeout": 10,
        "keepalives_idle": 15,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
    }
    # A restarted database server leaves dead connections in the pool; they are replaced when they are taken out.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# State of the whole installation is in the database: used one-time codes, limits of sign-ins. A cache that only saves
# computing is kept in each process. See docs/decisions/0021-limits-in-the-database.md.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_cache",
        "OPTIONS": {"MAX_ENTRIES": 50_000},
    },
    "local": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "local"},
}

# --- people ---------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "annotate.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "annotate.people.accounts.InvitedOnly"
ACCOUNT_FORMS = {"login": "annotate.people.accounts.SignIn", "user_token": "annotate.people.accounts.PasswordKeyForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
# allauth's own limits count per address, and a whole team may share one; axes locks the account instead.
# "login_failed" then only counts codes of the second step (see InvitedOnly.pre_authenticate).
ACCOUNT_RATE_LIMITS = {"login_failed": "10/15m/key", "login": False}
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "annotate.people.accounts.name_at_sign_in"
AXES_LOCKOUT_TEMPLATE = "account/lockout.html"
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

# --- languages ------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_TZ = True

# --- files ----------------------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    # Files that rows name. A place of their own, so that an object store can take over from the folder.
    "media": {
        "BACKEND": "annotate.media.storage.DurableStorage",
        "OPTIONS": {
            "location": DATA_DIR / "files" / "media",
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if not DEBUG
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR / "incoming")
(DATA_DIR / "incoming").mkdir(exist_ok=True)
UPLOAD_MAX_BYTES = whole_number("UPLOAD_MAX_BYTES", 512 * 1024 * 1024, least=1)
# Additions of other apps to the demo project after it is made: callables that take the project.
DEMO_PARTS = ["judging.demo.demo_runs.seed_answers"]
# Further demo projects of other apps: callables that take the people (username -> role) and make the project once.
DEMO_STUDIES = ["judging.demo.demo_votes.seed"]
# Demo projects with work by a model: callables that take the people, called while the model answers.
DEMO_RUNS = [
    "judging.demo.demo_runs.seed_judges",
    "judging.demo.demo_blindspots.seed",
    "judging.demo.demo_cases.seed",
    "judging.demo.demo_branches.seed",
]

# --- security -------------------------------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_ENGINE = "annotate.web.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 14 * 24 * 3600
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
if env.bool("BEHIND_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
CSRF_FAILURE_VIEW = "annotate.web.error_pages.csrf_failure"
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.reporting.AddressesHidden"

# --- models: origins that administrators may enter in the browser; the command `endpoint` needs none -----------------
MODEL_ORIGINS = origins("MODEL_ORIGINS")

# --- programs: the API, and who is told what happens -----------------------------------------------------------------
API_REQUESTS_A_MINUTE = whole_number("API_REQUESTS_A_MINUTE", 600, least=1)
WEBHOOK_ORIGINS = origins("WEBHOOK_ORIGINS")
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["annotate.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["annotate.api.authentication.PerToken"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotate.api.authentication.Json"],
    "DEFAULT_SCHEMA_CLASS": "annotate.api.schema.Schema",
    "EXCEPTION_HANDLER": "annotate.web.error_pages.answer_to",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "Items, imports, runs of models, releases and comments of one project, for programs.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "BatchState": "annotate.models.items.Batch.State",
        "ItemState": "annotate.models.items.Item.State",
        "ReleaseState": "annotate.models.records.Release.State",
        "RunState": "annotate.models.runs.Run.State",
        "SlotState": "annotate.models.work.Slot.State",
        "WantedState": "annotate.api.releases.STATES",
    },
}

# --- mail -----------------------------------------------------------------------------------------------------------
MAIL_CONFIGURED = bool(env.str("EMAIL_URL", default=""))
MAIL_DELIVERY_BACKEND = ""
if MAIL_CONFIGURED:
    EMAIL_TIMEOUT = 10  # seconds; of the thread that sends
    vars().update(env.email("EMAIL_URL"))
    MAIL_DELIVERY_BACKEND, EMAIL_BACKEND = vars()["EMAIL_BACKEND"], "config.mail.BackgroundBackend"
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="touchstone@localhost")

# --- worker: the database is the source of truth, the broker only a wake-up signal ----------------------------------
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://")
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, str | float] = {}
if CELERY_BROKER_URL.startswith("filesystem"):
    (DATA_DIR / "broker").mkdir(exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = dict.fromkeys(["data_folder_in", "data_folder_out"], str(DATA_DIR / "broker"))
    CELERY_BROKER_TRANSPORT = "config.broker:Transport"
elif CELERY_BROKER_URL.startswith("redis"):
    # A frozen server or dropped packets are noticed after a second; annotate/bell.py then pauses. No retries: the clock
    # sends the signal again.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_timeout": 1,
        "socket_connect_timeout": 1,
        "socket_keepalive": True,
        "max_retries": 0,
    }
# Runs have their own queue, because a run may occupy its worker for minutes, and neither the clock's beat nor an import
# may wait for that. A worker without a list of queues serves both.
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in ("celery", "runs")]
CELERY_TASK_ROUTES = {"annotate.tasks.drain_run": {"queue": "runs", "routing_key": "runs"}}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "config.clock:SteadyScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {"reconcile": {"task": "annotate.tasks.reconcile", "schedule": 5.0}}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # lines of workers are written as LOGGING says
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker as long as that takes

LOG_LEVEL = log_level("LOG_LEVEL", "INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
        "json": {"()": "lib.log_lines.JsonLine"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": log_format("LOG_FORMAT")}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"annotate": {"level": LOG_LEVEL}, "judging": {"level": LOG_LEVEL}},
}
