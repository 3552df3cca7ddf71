from django.urls import path

from annotate.views.survey import leading

urlpatterns = [
    path("survey/", leading.survey_lead, name="survey_lead"),
    path("survey/switch/", leading.survey_switch, name="survey_switch"),
    path("survey/preview/", leading.survey_preview, name="survey_preview"),
    path("survey/answers/", leading.survey_export, name="survey_export"),
]
