from django.urls import path

from judging.boards.rating_bias import page

urlpatterns = [path("p/<slug:slug>/rating-bias/", page.rating_bias_page, name="rating_bias")]
