"""All pages of judging, a subject a file: every judging/views/<subject>_urls.py is included here."""

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
