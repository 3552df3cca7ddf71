import re

from django.views.debug import SafeExceptionReporterFilter


class AddressesHidden(SafeExceptionReporterFilter):
    """Reports of faults leave out keys and passwords, as Django's do, and addresses that may hold a password."""

    hidden_settings = re.compile(SafeExceptionReporterFilter.hidden_settings.pattern + "|_URL$|DSN", re.IGNORECASE)
