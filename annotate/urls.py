"""All pages, a subject a file: every annotate/views/<subject>/urls.py and <subject>_urls.py is included here."""

from django.urls import include, path

from annotate.views import home

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("annotate.views.account_urls")),
    path("endpoints/", include("annotate.views.endpoints.urls")),
    path("survey/<slug:slug>/", include("annotate.views.survey.public_urls")),
    path("p/<slug:slug>/", include("annotate.views.survey.urls")),
    path("p/<slug:slug>/", include("annotate.views.project_urls")),
    path("p/<slug:slug>/", include("annotate.views.people.urls")),
    path("p/<slug:slug>/", include("annotate.views.items.urls")),
    path("p/<slug:slug>/", include("annotate.views.work.urls")),
    path("p/<slug:slug>/", include("annotate.views.readiness.urls")),
    path("p/<slug:slug>/", include("annotate.views.review.urls")),
    path("p/<slug:slug>/", include("annotate.views.corrections.urls")),
    path("p/<slug:slug>/", include("annotate.views.anchoring.urls")),
    path("p/<slug:slug>/", include("annotate.views.pace.urls")),
    path("p/<slug:slug>/", include("annotate.views.sampling_urls")),
    path("p/<slug:slug>/", include("annotate.views.file_urls")),
    path("p/<slug:slug>/", include("annotate.views.collecting.urls")),
    path("p/<slug:slug>/", include("annotate.views.alike.urls")),
    path("p/<slug:slug>/", include("annotate.views.runs.urls")),
    path("p/<slug:slug>/", include("annotate.views.classification_urls")),
    path("p/<slug:slug>/", include("annotate.views.prompts.urls")),
]
