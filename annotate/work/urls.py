from django.urls import path

from annotate.work import pages, post_pages

urlpatterns = [
    path("work/", pages.start, name="work"),
    path("work/next/", pages.next_item, name="work_next"),
    path("work/<int:pk>/", pages.item, name="work_item"),
    path("work/<int:pk>/before/", pages.before, name="work_before"),
    path("work/<int:pk>/save/", post_pages.save, name="work_save"),
    path("work/<int:pk>/submit/", post_pages.submit, name="work_submit"),
    path("work/<int:pk>/skip/", post_pages.skip, name="work_skip"),
    path("work/<int:pk>/release/", post_pages.release, name="work_release"),
    path("work/<int:pk>/sibling/", post_pages.sibling, name="work_sibling"),
    path("work/<int:pk>/heartbeat/", post_pages.heartbeat, name="work_heartbeat"),
    path("work/<int:pk>/undo/", post_pages.undo, name="work_undo"),
    path("work/<int:pk>/resolve/", post_pages.resolve, name="work_resolve"),
    path("work/<int:pk>/continue/", pages.go_on, name="work_continue"),
    path("drafts/", pages.my_drafts, name="my_drafts"),
]
