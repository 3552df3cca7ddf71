from django.urls import URLPattern, path

from annotate.notices import pages
from annotate.people import account_pages
from annotate.project import guide
from annotate.project import pages as project_pages

urlpatterns: list[URLPattern] = [
    path("preferences/", account_pages.preferences, name="preferences"),
    path("preferences/theme/", account_pages.preferences_theme, name="preferences_theme"),
    path("preferences/language/", account_pages.preferences_language, name="preferences_language"),
    path("mine/record/", account_pages.my_record, name="my_record"),
    path("mine/record/record.json", account_pages.my_record_json, name="my_record_json"),
    path("guide/", guide.guide, name="guide"),
    path("guide/picture/", guide.guide_picture, name="guide_picture"),
    path("inbox/", pages.inbox, name="inbox"),
    path("inbox/read/", pages.inbox_read, name="inbox_read"),
    path("invite/<str:token>/", account_pages.invitation, name="invitation"),
    path("accounts-admin/", account_pages.reset_links, name="reset_links"),
    path("projects/", project_pages.project_list, name="projects"),
    path("projects/new/", project_pages.project_new, name="project_new"),
]
