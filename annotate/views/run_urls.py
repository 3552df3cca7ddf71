from django.urls import path

from annotate.views import runs, runs_acting, runs_comparing, runs_jobs, runs_planning

urlpatterns = [
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", runs_planning.run_new, name="run_new"),
    path("runs/compare/", runs_comparing.run_compare, name="run_compare"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/jobs/", runs_jobs.run_jobs, name="run_jobs"),
    path("runs/<int:pk>/start/", runs_acting.run_start, name="run_start"),
    path("runs/<int:pk>/pause/", runs_acting.run_pause, name="run_pause"),
    path("runs/<int:pk>/resume/", runs_acting.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", runs_acting.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/retry/", runs_acting.run_retry, name="run_retry"),
    path("runs/<int:pk>/budget/", runs_acting.run_budget, name="run_budget"),
    path("runs/<int:pk>/reread/", runs_acting.run_reread, name="run_reread"),
    path("jobs/<int:pk>/", runs_jobs.job, name="job"),
]
