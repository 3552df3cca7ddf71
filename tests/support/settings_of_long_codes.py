"""The settings of an installation whose one-time codes live so long that none ends in the middle of a test."""

from config.settings import *  # noqa: F403

MFA_TOTP_PERIOD = 24 * 3600
