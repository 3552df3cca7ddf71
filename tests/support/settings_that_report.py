"""The settings of an installation whose policy stops nothing: the browser only reports what would break it."""

from config.settings import *  # noqa: F403

CONTENT_SECURITY_POLICY_REPORT_ONLY, CONTENT_SECURITY_POLICY = CONTENT_SECURITY_POLICY, None  # noqa: F405
