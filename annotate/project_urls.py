from django.urls import include, path

from annotate.guidelines import pages, precedent_pages
from annotate.project import pages as project_pages
from annotate.project import settings_pages

urlpatterns = [
    path("", project_pages.overview, name="overview"),
    path("leases/<int:pk>/release/", project_pages.lease_release, name="lease_release"),
    path("guidelines/", pages.guidelines, name="guidelines"),
    path("guidelines/edit/", pages.guidelines_edit, name="guidelines_edit"),
    path("guidelines/stale/", pages.stale_items, name="stale_items"),
    path("guidelines/stale/reopen/", pages.stale_reopen, name="stale_reopen"),
    path("guidelines/reopenings/<int:pk>/", pages.reopening_page, name="reopening"),
    path("guidelines/reopenings/<int:pk>/back/", pages.reopening_back, name="reopening_back"),
    path("precedents/", precedent_pages.precedents_list, name="precedents"),
    path("precedents/ask/<int:pk>/", precedent_pages.precedent_ask, name="precedent_ask"),
    path("precedents/<int:pk>/rule/", precedent_pages.precedent_rule, name="precedent_rule"),
    path("precedents/<int:pk>/withdraw/", precedent_pages.precedent_withdraw, name="precedent_withdraw"),
    path("precedents/<int:pk>/read/", precedent_pages.precedent_read, name="precedent_read"),
    path("settings/", settings_pages.project_settings, name="project_settings"),
    path("pause/", settings_pages.pause, name="pause"),
    path("", include("annotate.program_urls")),
]
