from django.urls import path

from annotate.views import work, work_drafts, work_posting

urlpatterns = [
    path("work/", work.start, name="work"),
    path("work/next/", work.next_item, name="work_next"),
    path("work/<int:pk>/", work.item, name="work_item"),
    path("work/<int:pk>/before/", work.before, name="work_before"),
    path("work/<int:pk>/save/", work_posting.save, name="work_save"),
    path("work/<int:pk>/submit/", work_posting.submit, name="work_submit"),
    path("work/<int:pk>/skip/", work_posting.skip, name="work_skip"),
    path("work/<int:pk>/release/", work_posting.release, name="work_release"),
    path("work/<int:pk>/sibling/", work_posting.sibling, name="work_sibling"),
    path("work/<int:pk>/heartbeat/", work_posting.heartbeat, name="work_heartbeat"),
    path("work/<int:pk>/undo/", work_posting.undo, name="work_undo"),
    path("work/<int:pk>/resolve/", work_posting.resolve, name="work_resolve"),
    path("work/<int:pk>/continue/", work_drafts.go_on, name="work_continue"),
    path("drafts/", work_drafts.my_drafts, name="my_drafts"),
]
