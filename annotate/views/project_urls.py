from django.urls import include, path

from annotate.views import guidelines, overview, precedents, project_settings, stale

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("leases/<int:pk>/release/", overview.lease_release, name="lease_release"),
    path("guidelines/", guidelines.guidelines, name="guidelines"),
    path("guidelines/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path("guidelines/stale/", stale.stale_items, name="stale_items"),
    path("guidelines/stale/reopen/", stale.stale_reopen, name="stale_reopen"),
    path("guidelines/reopenings/<int:pk>/", stale.reopening_page, name="reopening"),
    path("guidelines/reopenings/<int:pk>/back/", stale.reopening_back, name="reopening_back"),
    path("precedents/", precedents.precedents_list, name="precedents"),
    path("precedents/ask/<int:pk>/", precedents.precedent_ask, name="precedent_ask"),
    path("precedents/<int:pk>/rule/", precedents.precedent_rule, name="precedent_rule"),
    path("precedents/<int:pk>/withdraw/", precedents.precedent_withdraw, name="precedent_withdraw"),
    path("precedents/<int:pk>/read/", precedents.precedent_read, name="precedent_read"),
    path("settings/", project_settings.project_settings, name="project_settings"),
    path("pause/", project_settings.pause, name="pause"),
    path("", include("annotate.views.program_urls")),
]
