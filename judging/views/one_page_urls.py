from django.urls import path

from judging.views.one_page.page import PARTS, one_page

urlpatterns = [path(f"p/<slug:slug>/{of}/one-page/", one_page, {"of": of}, name=f"{of}_one_page") for of in PARTS]
