import os
import re
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter


class AddressesHidden(SafeExceptionReporterFilter):
    """Error reports without keys and passwords, as Django's are, and without URLs that may hold a password.

    They also leave out the environment, which development servers put into every request: it may hold a model's key
    under any name.
    """

    hidden_settings = re.compile(SafeExceptionReporterFilter.hidden_settings.pattern + "|_URL$|DSN", re.IGNORECASE)

    def get_safe_request_meta(self, request: HttpRequest) -> dict[str, Any]:
        meta = super().get_safe_request_meta(request)
        return {name: self.cleansed_substitute if name in os.environ else value for name, value in meta.items()}
