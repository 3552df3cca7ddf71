from django.urls import path

from annotate.views.work import drafts, posting, work

urlpatterns = [
    path("work/", work.start, name="work"),
    path("work/next/", work.next_item, name="work_next"),
    path("work/<int:pk>/", work.item, name="work_item"),
    path("work/<int:pk>/before/", work.before, name="work_before"),
    path("work/<int:pk>/save/", posting.save, name="work_save"),
    path("work/<int:pk>/submit/", posting.submit, name="work_submit"),
    path("work/<int:pk>/skip/", posting.skip, name="work_skip"),
    path("work/<int:pk>/release/", posting.release, name="work_release"),
    path("work/<int:pk>/sibling/", posting.sibling, name="work_sibling"),
    path("work/<int:pk>/heartbeat/", posting.heartbeat, name="work_heartbeat"),
    path("work/<int:pk>/undo/", posting.undo, name="work_undo"),
    path("work/<int:pk>/resolve/", posting.resolve, name="work_resolve"),
    path("work/<int:pk>/continue/", drafts.go_on, name="work_continue"),
    path("drafts/", drafts.my_drafts, name="my_drafts"),
]
