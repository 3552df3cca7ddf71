from django.urls import path

from annotate.views.corrections import disputes, mine

urlpatterns = [
    path("mine/corrections/", mine.my_corrections, name="my_corrections"),
    path("mine/corrections/<int:pk>/dispute/", mine.correction_dispute, name="correction_dispute"),
    path("disputes/", disputes.dispute_list, name="disputes"),
    path("disputes/<int:pk>/", disputes.dispute_page, name="dispute"),
    path("disputes/<int:pk>/decide/", disputes.dispute_decide, name="dispute_decide"),
]
