from django.urls import path

from annotate.survey import lead_pages

urlpatterns = [
    path("survey/", lead_pages.survey_lead, name="survey_lead"),
    path("survey/switch/", lead_pages.survey_switch, name="survey_switch"),
    path("survey/preview/", lead_pages.survey_preview, name="survey_preview"),
    path("survey/answers/", lead_pages.survey_export, name="survey_export"),
]
