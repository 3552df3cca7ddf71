from django.urls import path

from judging.views.judges import judges

urlpatterns = [path("p/<slug:slug>/judges/", judges, name="judges")]
