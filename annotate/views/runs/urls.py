from django.urls import path

from annotate.views.runs import acting, comparing, jobs, planning, rereading, runs, spending

urlpatterns = [
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", planning.run_new, name="run_new"),
    path("runs/compare/", comparing.run_compare, name="run_compare"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/jobs/", jobs.run_jobs, name="run_jobs"),
    path("runs/<int:pk>/spending/", spending.run_spending, name="run_spending"),
    path("runs/<int:pk>/start/", acting.run_start, name="run_start"),
    path("runs/<int:pk>/pause/", acting.run_pause, name="run_pause"),
    path("runs/<int:pk>/resume/", acting.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", acting.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/retry/", acting.run_retry, name="run_retry"),
    path("runs/<int:pk>/budget/", acting.run_budget, name="run_budget"),
    path("runs/<int:pk>/reread/", rereading.run_reread, name="run_reread"),
    path("jobs/<int:pk>/", jobs.job, name="job"),
]
