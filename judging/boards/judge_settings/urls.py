from django.urls import path

from judging.boards.judge_settings import page

urlpatterns = [
    path("p/<slug:slug>/judge-settings/", page.judge_settings, name="judge_settings"),
    path("p/<slug:slug>/judge-settings/plan/", page.judge_settings_plan, name="judge_settings_plan"),
    path("p/<slug:slug>/judge-settings/start/", page.judge_settings_start, name="judge_settings_start"),
]
