from django.urls import URLPattern, path

from annotate.views import guide, inbox, invitations, preferences, projects, recorded

urlpatterns: list[URLPattern] = [
    path("preferences/", preferences.preferences, name="preferences"),
    path("preferences/theme/", preferences.preferences_theme, name="preferences_theme"),
    path("preferences/language/", preferences.preferences_language, name="preferences_language"),
    path("mine/record/", recorded.my_record, name="my_record"),
    path("mine/record/record.json", recorded.my_record_json, name="my_record_json"),
    path("guide/", guide.guide, name="guide"),
    path("guide/picture/", guide.guide_picture, name="guide_picture"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/read/", inbox.inbox_read, name="inbox_read"),
    path("invite/<str:token>/", invitations.invitation, name="invitation"),
    path("accounts-admin/", invitations.reset_links, name="reset_links"),
    path("projects/", projects.project_list, name="projects"),
    path("projects/new/", projects.project_new, name="project_new"),
]
