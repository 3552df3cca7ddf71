from django.urls import path

from annotate.views.people import people

urlpatterns = [
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/invitations/<int:pk>/revoke/", people.invitation_revoke, name="invitation_revoke"),
    path("people/<int:pk>/", people.member, name="member"),
    path("people/<int:pk>/remove/", people.member_remove, name="member_remove"),
]
