from django.urls import path

from annotate.survey import public_pages

urlpatterns = [
    path("", public_pages.survey_start, name="survey_start"),
    path("<str:link>/", public_pages.survey_own, name="survey_own"),
    path("<str:link>/cases/<int:no>/", public_pages.survey_case, name="survey_case"),
    path("<str:link>/cases/<int:no>/remove/", public_pages.survey_case_remove, name="survey_case_remove"),
    path("<str:link>/answers/", public_pages.survey_answers, name="survey_answers"),
    path("<str:link>/send/", public_pages.survey_send, name="survey_send"),
    path("<str:link>/withdraw/", public_pages.survey_withdraw, name="survey_withdraw"),
]
