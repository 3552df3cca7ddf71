"""All pages, a subject a file: every module annotate/views/<subject>_urls.py below is included here."""

from django.urls import include, path

from annotate.views import home

urlpatterns = [
    path("", home.home, name="home"),
    path("", include("annotate.views.account_urls")),
    path("endpoints/", include("annotate.views.endpoint_urls")),
    path("p/<slug:slug>/", include("annotate.views.project_urls")),
    path("p/<slug:slug>/", include("annotate.views.people_urls")),
    path("p/<slug:slug>/", include("annotate.views.item_urls")),
    path("p/<slug:slug>/", include("annotate.views.work_urls")),
    path("p/<slug:slug>/", include("annotate.views.review_urls")),
    path("p/<slug:slug>/", include("annotate.views.file_urls")),
    path("p/<slug:slug>/", include("annotate.views.run_urls")),
    path("p/<slug:slug>/", include("annotate.views.classification_urls")),
    path("p/<slug:slug>/", include("annotate.views.prompt_urls")),
]
