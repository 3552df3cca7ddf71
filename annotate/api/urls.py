from django.urls import path

from annotate.api import document, imports, items, projects, releases, runs

urlpatterns = [
    path("schema/", document.schema, name="api_schema"),
    path("docs/", document.docs, name="api_docs"),
    path("projects/", projects.ProjectList.as_view(), name="api_projects"),
    path("projects/<slug:slug>/", projects.ProjectDetail.as_view(), name="api_project"),
    path("projects/<slug:slug>/audit/", projects.AuditList.as_view(), name="api_audit"),
    path("projects/<slug:slug>/items/", items.ItemList.as_view(), name="api_items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.ItemRead.as_view(), name="api_item"),
    path("projects/<slug:slug>/items/<int:pk>/history/", items.ItemPast.as_view(), name="api_item_history"),
    path("projects/<slug:slug>/items/<int:pk>/comments/", projects.CommentList.as_view(), name="api_item_comments"),
    path("projects/<slug:slug>/imports/", imports.ImportList.as_view(), name="api_imports"),
    path("projects/<slug:slug>/imports/<int:pk>/", imports.ImportRead.as_view(), name="api_import"),
    path("projects/<slug:slug>/imports/<int:pk>/rejects/", imports.ImportRejects.as_view(), name="api_import_rejects"),
    path("projects/<slug:slug>/runs/", runs.RunList.as_view(), name="api_runs"),
    path("projects/<slug:slug>/runs/<int:pk>/", runs.RunRead.as_view(), name="api_run"),
    path("projects/<slug:slug>/runs/<int:pk>/estimate/", runs.RunGuess.as_view(), name="api_run_estimate"),
    path("projects/<slug:slug>/runs/<int:pk>/progress/", runs.RunHowFar.as_view(), name="api_run_progress"),
    path("projects/<slug:slug>/runs/<int:pk>/start/", runs.RunStart.as_view(), name="api_run_start"),
    path("projects/<slug:slug>/runs/<int:pk>/pause/", runs.RunPause.as_view(), name="api_run_pause"),
    path("projects/<slug:slug>/runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api_run_resume"),
    path("projects/<slug:slug>/runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api_run_cancel"),
    path("projects/<slug:slug>/runs/<int:pk>/retry/", runs.RunRetry.as_view(), name="api_run_retry"),
    path("projects/<slug:slug>/releases/", releases.ReleaseList.as_view(), name="api_releases"),
    path("projects/<slug:slug>/releases/<int:version>/", releases.ReleaseRead.as_view(), name="api_release"),
    path(
        "projects/<slug:slug>/releases/<int:version>/download/",
        releases.ReleaseDownload.as_view(),
        name="api_release_download",
    ),
    path(
        "projects/<slug:slug>/releases/<int:version>/manifest/",
        releases.ReleaseManifest.as_view(),
        name="api_release_manifest",
    ),
    path(
        "projects/<slug:slug>/releases/<int:version>/verify/",
        releases.ReleaseVerify.as_view(),
        name="api_release_verify",
    ),
]
