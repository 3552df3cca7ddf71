from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("annotate.urls")),
]

handler400 = "annotate.views.errors.bad_request"
handler403 = "annotate.views.errors.forbidden"
handler404 = "annotate.views.errors.not_found"
