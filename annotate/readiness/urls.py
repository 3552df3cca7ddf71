from django.urls import path

from annotate.readiness import pages

urlpatterns = [
    path("readiness/", pages.readiness, name="readiness"),
    path("readiness/settings/", pages.readiness_settings, name="readiness_settings"),
    path("readiness/mark/", pages.readiness_mark, name="readiness_mark"),
    path("readiness/<int:pk>/", pages.readiness_person, name="readiness_person"),
    path("readiness/<int:pk>/decide/", pages.readiness_decide, name="readiness_decide"),
    path("work/calibration/again/", pages.again, name="calibration_again"),
    path("work/<int:pk>/feedback/", pages.feedback_page, name="work_feedback"),
]
