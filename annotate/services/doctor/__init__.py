"""What this installation needs, whether it is there, and how to get what is missing."""

from collections.abc import Callable

from annotate.services.doctor import host, models, programs, services
from annotate.services.doctor.findings import Finding

CHECKS: list[Callable[[], Finding]] = [
    host.python,
    host.data_folder,
    host.free_space,
    host.secret_key,
    host.addresses,
    services.database,
    services.migrations,
    services.write_ahead_log,
    services.broker,
    services.worker,
    host.static_files,
    host.translations,
    services.mail,
    models.simulated_model,
    programs.chromium,
    programs.chinese_fonts,
    programs.postgresql,
    programs.redis,
    programs.gettext,
]


def examine() -> list[Finding]:
    return [check() for check in CHECKS]


def is_well(findings: list[Finding]) -> bool:
    """Nothing that is needed is missing; notes do not count."""
    return all(finding.state != "missing" for finding in findings)
