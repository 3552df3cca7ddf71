from django.urls import path

from annotate.runs import action_pages, detail_pages, pages

urlpatterns = [
    path("runs/", pages.runs, name="runs"),
    path("runs/new/", action_pages.run_new, name="run_new"),
    path("runs/compare/", detail_pages.run_compare, name="run_compare"),
    path("runs/<int:pk>/", pages.run, name="run"),
    path("runs/<int:pk>/jobs/", detail_pages.run_jobs, name="run_jobs"),
    path("runs/<int:pk>/spending/", pages.run_spending, name="run_spending"),
    path("runs/<int:pk>/start/", action_pages.run_start, name="run_start"),
    path("runs/<int:pk>/pause/", action_pages.run_pause, name="run_pause"),
    path("runs/<int:pk>/resume/", action_pages.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", action_pages.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/retry/", action_pages.run_retry, name="run_retry"),
    path("runs/<int:pk>/budget/", action_pages.run_budget, name="run_budget"),
    path("runs/<int:pk>/reread/", action_pages.run_reread, name="run_reread"),
    path("jobs/<int:pk>/", detail_pages.job, name="job"),
]
