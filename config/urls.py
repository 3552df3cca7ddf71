from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

# The address of an account is among its preferences; allauth's own page writes rows while it is read.
email = require_safe(RedirectView.as_view(pattern_name="preferences"))

urlpatterns = [
    path("accounts/email/", email, name="account_email"),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("annotate.api.urls")),
    path("", include("annotate.urls")),
    path("", include("judging.urls")),
]

handler400 = "annotate.views.errors.bad_request"
handler403 = "annotate.views.errors.forbidden"
handler404 = "annotate.views.errors.not_found"
handler500 = "annotate.views.errors.server_error"
