from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

# The e-mail address is edited in the preferences; allauth's own page writes rows on GET.
email = require_safe(RedirectView.as_view(pattern_name="preferences"))

urlpatterns = [
    path("accounts/email/", email, name="account_email"),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", include("annotate.api.urls")),
    path("", include("annotate.urls")),
    path("", include("judging.urls")),
]

handler400 = "annotate.web.error_pages.bad_request"
handler403 = "annotate.web.error_pages.forbidden"
handler404 = "annotate.web.error_pages.not_found"
handler500 = "annotate.web.error_pages.server_error"
