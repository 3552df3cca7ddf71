from django.urls import path

from annotate.views.readiness import asking, board, calibration

urlpatterns = [
    path("readiness/", board.readiness, name="readiness"),
    path("readiness/settings/", asking.readiness_settings, name="readiness_settings"),
    path("readiness/mark/", board.readiness_mark, name="readiness_mark"),
    path("readiness/<int:pk>/", board.readiness_person, name="readiness_person"),
    path("readiness/<int:pk>/decide/", board.readiness_decide, name="readiness_decide"),
    path("work/calibration/again/", calibration.again, name="calibration_again"),
    path("work/<int:pk>/feedback/", calibration.feedback_page, name="work_feedback"),
]
