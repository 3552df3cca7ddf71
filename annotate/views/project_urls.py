from django.urls import include, path

from annotate.views import guidelines, overview, project_settings

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("leases/<int:pk>/release/", overview.lease_release, name="lease_release"),
    path("guidelines/", guidelines.guidelines, name="guidelines"),
    path("guidelines/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path("settings/", project_settings.project_settings, name="project_settings"),
    path("pause/", project_settings.pause, name="pause"),
    path("", include("annotate.views.program_urls")),
]
