"""All pages of judging, a subject a file: every judging/views/<subject>_urls.py is included here."""

import pkgutil

from django.urls import URLPattern, URLResolver, include, path

import judging.views

_SUBJECTS = sorted(
    module.name for module in pkgutil.iter_modules(judging.views.__path__) if module.name.endswith("_urls")
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(f"{judging.views.__name__}.{subject}")) for subject in _SUBJECTS
]
