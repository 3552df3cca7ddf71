"""URLs of all pages. Every package that has pages lists its own in urls.py."""

from django.urls import include, path

from annotate.project import home

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("annotate.account_urls")),
    path("endpoints/", include("annotate.engine.urls")),
    path("survey/<slug:slug>/", include("annotate.survey.public_urls")),
    path("p/<slug:slug>/", include("annotate.survey.urls")),
    path("p/<slug:slug>/", include("annotate.project_urls")),
    path("p/<slug:slug>/", include("annotate.people.urls")),
    path("p/<slug:slug>/", include("annotate.items.urls")),
    path("p/<slug:slug>/", include("annotate.work.urls")),
    path("p/<slug:slug>/", include("annotate.readiness.urls")),
    path("p/<slug:slug>/", include("annotate.review.urls")),
    path("p/<slug:slug>/", include("annotate.quality.urls")),
    path("p/<slug:slug>/", include("annotate.file_urls")),
    path("p/<slug:slug>/", include("annotate.intake.urls")),
    path("p/<slug:slug>/", include("annotate.runs.urls")),
    path("p/<slug:slug>/", include("annotate.prompts.urls")),
]
