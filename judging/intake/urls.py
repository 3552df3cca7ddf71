from django.urls import path

from judging.intake.pages import import_judgements_page

urlpatterns = [path("p/<slug:slug>/judgements/import/", import_judgements_page, name="import_judgements")]
