from django.urls import path

from annotate.prompts import pages

urlpatterns = [
    path("prompts/", pages.prompt_list, name="prompts"),
    path("prompts/made/", pages.prompts_made, name="prompts_made"),
    path("prompts/trials/<int:pk>/", pages.prompt_trial, name="prompt_trial"),
    path("prompts/<str:which>/", pages.prompt, name="prompt"),
    path("prompts/<str:which>/edit/", pages.prompt_edit, name="prompt_edit"),
    path("prompts/<str:which>/raw/", pages.prompt_raw, name="prompt_raw"),
    path("prompts/<str:which>/try/", pages.prompt_try, name="prompt_try"),
    path("prompts/<str:which>/adopt/", pages.prompt_adopt, name="prompt_adopt"),
    path("prompts/<str:which>/shipped/", pages.prompt_shipped, name="prompt_shipped"),
]
