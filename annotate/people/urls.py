from django.urls import path

from annotate.people import pages

urlpatterns = [
    path("people/", pages.people, name="people"),
    path("people/invite/", pages.invite, name="invite"),
    path("people/invitations/<int:pk>/revoke/", pages.invitation_revoke, name="invitation_revoke"),
    path("people/<int:pk>/", pages.member, name="member"),
    path("people/<int:pk>/remove/", pages.member_remove, name="member_remove"),
]
