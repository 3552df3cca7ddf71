from django.urls import path

from annotate.views import sampling

urlpatterns = [
    path("samples/", sampling.samples, name="samples"),
    path("samples/<int:pk>/whole/", sampling.sample_whole, name="sample_whole"),
]
