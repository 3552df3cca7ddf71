from django.urls import path

from judging.boards.one_page.page import PARTS, one_page

urlpatterns = [
    path(f"p/<slug:slug>/{part}/one-page/", one_page, {"of": part}, name=f"{part}_one_page") for part in PARTS
]
