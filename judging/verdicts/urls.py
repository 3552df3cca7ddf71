from django.urls import path

from judging.verdicts.pages import judges

urlpatterns = [path("p/<slug:slug>/judges/", judges, name="judges")]
