from django.urls import path

from annotate.views.survey import taking

urlpatterns = [
    path("", taking.survey_start, name="survey_start"),
    path("<str:link>/", taking.survey_own, name="survey_own"),
    path("<str:link>/cases/<int:no>/", taking.survey_case, name="survey_case"),
    path("<str:link>/cases/<int:no>/remove/", taking.survey_case_remove, name="survey_case_remove"),
    path("<str:link>/answers/", taking.survey_answers, name="survey_answers"),
    path("<str:link>/send/", taking.survey_send, name="survey_send"),
    path("<str:link>/withdraw/", taking.survey_withdraw, name="survey_withdraw"),
]
