from django.urls import path

from annotate.views.prompts import instructions, prompts, raw, trying

urlpatterns = [
    path("prompts/", prompts.prompt_list, name="prompts"),
    path("prompts/made/", instructions.prompts_made, name="prompts_made"),
    path("prompts/trials/<int:pk>/", trying.prompt_trial, name="prompt_trial"),
    path("prompts/<str:which>/", prompts.prompt, name="prompt"),
    path("prompts/<str:which>/edit/", prompts.prompt_edit, name="prompt_edit"),
    path("prompts/<str:which>/raw/", raw.prompt_raw, name="prompt_raw"),
    path("prompts/<str:which>/try/", trying.prompt_try, name="prompt_try"),
    path("prompts/<str:which>/adopt/", prompts.prompt_adopt, name="prompt_adopt"),
    path("prompts/<str:which>/shipped/", prompts.prompt_shipped, name="prompt_shipped"),
]
