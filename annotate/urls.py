"""The addresses of all pages of annotate. Those of its API are in annotate/api/urls.py."""

from django.urls import URLPattern, URLResolver, include, path

from annotate.audit import pages as audit_pages
from annotate.definitions import conversion_pages
from annotate.definitions import pages as definition_pages
from annotate.doors import pages as door_pages
from annotate.engine import pages as endpoint_pages
from annotate.guidelines import pages as guideline_pages
from annotate.guidelines import precedent_pages
from annotate.intake import chat_log_pages, file_pages
from annotate.intake import pages as intake_pages
from annotate.items import comment_pages, item_detail_pages, member_fields, transcript_pages
from annotate.items import pages as item_pages
from annotate.media import pages as media_pages
from annotate.notices import pages as notice_pages
from annotate.people import account_pages
from annotate.people import pages as people_pages
from annotate.project import guide, home, new_project, settings_pages
from annotate.project import pages as project_pages
from annotate.prompts import instructions
from annotate.prompts import pages as prompt_pages
from annotate.quality import acceptance_sampling, classification
from annotate.quality import pages as quality_pages
from annotate.readiness import pages as readiness_pages
from annotate.releases import compare_pages
from annotate.releases import pages as release_pages
from annotate.review import correction_pages, decision_pages, disputes, sample_pages
from annotate.review import pages as review_pages
from annotate.runs import action_pages as run_action_pages
from annotate.runs import comparison as run_comparison
from annotate.runs import detail_pages as run_detail_pages
from annotate.runs import pages as run_pages
from annotate.saved_views import pages as saved_view_pages
from annotate.survey import lead_pages, public_pages
from annotate.work import pages as work_pages
from annotate.work import post_pages as work_post_pages

ACCOUNT: list[URLPattern] = [
    path("preferences/", account_pages.preferences, name="preferences"),
    path("preferences/theme/", account_pages.preferences_theme, name="preferences_theme"),
    path("preferences/language/", account_pages.preferences_language, name="preferences_language"),
    path("mine/record/", account_pages.my_record, name="my_record"),
    path("mine/record/record.json", account_pages.my_record_json, name="my_record_json"),
    path("guide/", guide.guide, name="guide"),
    path("guide/picture/", guide.guide_picture, name="guide_picture"),
    path("inbox/", notice_pages.inbox, name="inbox"),
    path("inbox/read/", notice_pages.inbox_read, name="inbox_read"),
    path("mails/stop/<str:link>/", notice_pages.mails_stop, name="mails_stop"),
    path("invite/<str:token>/", account_pages.invitation, name="invitation"),
    path("accounts-admin/", account_pages.reset_links, name="reset_links"),
    path("audit/", audit_pages.audit_trail, name="audit_trail"),
    path("audit/export/", audit_pages.audit_export, name="audit_export"),
    path("projects/", project_pages.project_list, name="projects"),
    path("projects/new/", new_project.project_new, name="project_new"),
    path("projects/new/example/", new_project.kind_sample, name="kind_sample"),
    path("jump/", door_pages.jump, name="jump"),
]
ENDPOINTS: list[URLPattern] = [
    path("", endpoint_pages.endpoints, name="endpoints"),
    path("new/", endpoint_pages.endpoint_new, name="endpoint_new"),
    path("<int:pk>/", endpoint_pages.endpoint, name="endpoint"),
    path("<int:pk>/retire/", endpoint_pages.endpoint_retire, name="endpoint_retire"),
    path("<int:pk>/forget/", endpoint_pages.endpoint_forget, name="endpoint_forget"),
    path("<int:pk>/test/", endpoint_pages.endpoint_test, name="endpoint_test"),
]
SURVEY: list[URLPattern] = [
    path("", public_pages.survey_start, name="survey_start"),
    path("<str:link>/", public_pages.survey_own, name="survey_own"),
    path("<str:link>/cases/<int:no>/", public_pages.survey_case, name="survey_case"),
    path("<str:link>/cases/<int:no>/remove/", public_pages.survey_case_remove, name="survey_case_remove"),
    path("<str:link>/answers/", public_pages.survey_answers, name="survey_answers"),
    path("<str:link>/send/", public_pages.survey_send, name="survey_send"),
    path("<str:link>/copy.txt", public_pages.survey_copy, name="survey_copy"),
    path("<str:link>/withdraw/", public_pages.survey_withdraw, name="survey_withdraw"),
]
PROJECT: list[URLPattern] = [
    path("views/save/", saved_view_pages.saved_view_save, name="saved_view_save"),
    path("views/<int:pk>/delete/", saved_view_pages.saved_view_delete, name="saved_view_delete"),
    path("survey/", lead_pages.survey_lead, name="survey_lead"),
    path("survey/switch/", lead_pages.survey_switch, name="survey_switch"),
    path("survey/preview/", lead_pages.survey_preview, name="survey_preview"),
    path("survey/answers/", lead_pages.survey_export, name="survey_export"),
    path("", project_pages.overview, name="overview"),
    path("leases/<int:pk>/release/", project_pages.lease_release, name="lease_release"),
    path("questions/", definition_pages.questions, name="questions"),
    path("questions/convert/", conversion_pages.questions_convert, name="questions_convert"),
    path("guidelines/", guideline_pages.guidelines, name="guidelines"),
    path("guidelines/edit/", guideline_pages.guidelines_edit, name="guidelines_edit"),
    path("guidelines/stale/", guideline_pages.stale_items, name="stale_items"),
    path("guidelines/stale/reopen/", guideline_pages.stale_reopen, name="stale_reopen"),
    path("guidelines/reopenings/<int:pk>/", guideline_pages.reopening_page, name="reopening"),
    path("guidelines/reopenings/<int:pk>/back/", guideline_pages.reopening_back, name="reopening_back"),
    path("precedents/", precedent_pages.precedents_list, name="precedents"),
    path("precedents/ask/<int:pk>/", precedent_pages.precedent_ask, name="precedent_ask"),
    path("precedents/<int:pk>/rule/", precedent_pages.precedent_rule, name="precedent_rule"),
    path("precedents/<int:pk>/withdraw/", precedent_pages.precedent_withdraw, name="precedent_withdraw"),
    path("precedents/<int:pk>/read/", precedent_pages.precedent_read, name="precedent_read"),
    path("tour/", door_pages.tour, name="tour"),
    path("settings/", settings_pages.project_settings, name="project_settings"),
    path("audit/", audit_pages.project_audit, name="project_audit"),
    path("audit/export/", audit_pages.project_audit_export, name="project_audit_export"),
    path("pause/", settings_pages.pause, name="pause"),
    path("tokens/", account_pages.token_list, name="tokens"),
    path("tokens/<int:pk>/revoke/", account_pages.token_revoke, name="token_revoke"),
    path("webhooks/", notice_pages.webhook_list, name="webhooks"),
    path("webhooks/<int:pk>/", notice_pages.webhook, name="webhook"),
    path("webhooks/<int:pk>/test/", notice_pages.webhook_test, name="webhook_test"),
    path("webhooks/<int:pk>/switch/", notice_pages.webhook_switch, name="webhook_switch"),
    path("webhooks/<int:pk>/remove/", notice_pages.webhook_remove, name="webhook_remove"),
    path("webhooks/deliveries/<int:pk>/again/", notice_pages.delivery_again, name="delivery_again"),
    path("people/", people_pages.people, name="people"),
    path("people/invite/", people_pages.invite, name="invite"),
    path("people/add/", people_pages.people_add, name="people_add"),
    path("people/invitations/<int:pk>/revoke/", people_pages.invitation_revoke, name="invitation_revoke"),
    path("people/<int:pk>/", people_pages.member, name="member"),
    path("people/<int:pk>/remove/", people_pages.member_remove, name="member_remove"),
    path("items/", item_pages.items, name="items"),
    path("items.csv", item_pages.items_csv, name="items_csv"),
    path("items/people/", member_fields.member_names, name="member_names"),
    path("items/bulk/", item_pages.items_bulk, name="items_bulk"),
    path("items/<int:pk>/", item_detail_pages.item, name="item"),
    path("items/<int:pk>/transcript/<int:no>/", transcript_pages.item_transcript, name="item_transcript"),
    path("items/<int:pk>/decide/", item_detail_pages.item_decide, name="item_decide"),
    path("items/<int:pk>/release/", item_detail_pages.item_release, name="item_release"),
    path("work/", work_pages.start, name="work"),
    path("work/next/", work_pages.next_item, name="work_next"),
    path("work/<int:pk>/", work_pages.item, name="work_item"),
    path("work/<int:pk>/before/", work_pages.before, name="work_before"),
    path("work/<int:pk>/save/", work_post_pages.save, name="work_save"),
    path("work/<int:pk>/submit/", work_post_pages.submit, name="work_submit"),
    path("work/<int:pk>/skip/", work_post_pages.skip, name="work_skip"),
    path("work/<int:pk>/release/", work_post_pages.release, name="work_release"),
    path("work/<int:pk>/sibling/", work_post_pages.sibling, name="work_sibling"),
    path("work/<int:pk>/heartbeat/", work_post_pages.heartbeat, name="work_heartbeat"),
    path("work/<int:pk>/undo/", work_post_pages.undo, name="work_undo"),
    path("work/<int:pk>/resolve/", work_post_pages.resolve, name="work_resolve"),
    path("work/<int:pk>/continue/", work_pages.go_on, name="work_continue"),
    path("drafts/", work_pages.my_drafts, name="my_drafts"),
    path("readiness/", readiness_pages.readiness, name="readiness"),
    path("readiness/settings/", readiness_pages.readiness_settings, name="readiness_settings"),
    path("readiness/mark/", readiness_pages.readiness_mark, name="readiness_mark"),
    path("readiness/<int:pk>/", readiness_pages.readiness_person, name="readiness_person"),
    path("readiness/<int:pk>/decide/", readiness_pages.readiness_decide, name="readiness_decide"),
    path("work/calibration/again/", readiness_pages.again, name="calibration_again"),
    path("work/<int:pk>/feedback/", readiness_pages.feedback_page, name="work_feedback"),
    path("review/", review_pages.queue, name="review"),
    path("review/next/", review_pages.next_item, name="review_next"),
    path("review/<int:pk>/", review_pages.item, name="review_item"),
    path("review/<int:pk>/take/", review_pages.take, name="review_take"),
    path("review/<int:pk>/save/", decision_pages.save, name="review_save"),
    path("review/<int:pk>/heartbeat/", decision_pages.heartbeat, name="review_heartbeat"),
    path("review/<int:pk>/release/", decision_pages.release, name="review_release"),
    path("review/<int:pk>/skip/", decision_pages.skip, name="review_skip"),
    path("review/<int:pk>/undo/", decision_pages.undo, name="review_undo"),
    path("review/<int:pk>/resolve/", decision_pages.resolve, name="review_resolve"),
    path("review/<int:pk>/accept/", decision_pages.accept, name="review_accept"),
    path("review/<int:pk>/fix/", decision_pages.fix, name="review_fix"),
    path("review/<int:pk>/return/", decision_pages.send_back, name="review_return"),
    path("review/<int:pk>/drop/", decision_pages.drop, name="review_drop"),
    path("items/columns/", item_pages.items_columns, name="items_columns"),
    path("items/<int:pk>/comments/", comment_pages.comment_add, name="comment_add"),
    path("comments/<int:pk>/answer/", comment_pages.comment_answer, name="comment_answer"),
    path("comments/<int:pk>/resolve/", comment_pages.comment_resolve, name="comment_resolve"),
    path("mine/corrections/", correction_pages.my_corrections, name="my_corrections"),
    path("mine/corrections/<int:pk>/dispute/", correction_pages.correction_dispute, name="correction_dispute"),
    path("disputes/", disputes.dispute_list, name="disputes"),
    path("disputes/<int:pk>/", disputes.dispute_page, name="dispute"),
    path("disputes/<int:pk>/decide/", disputes.dispute_decide, name="dispute_decide"),
    path("anchoring/", quality_pages.anchoring_page, name="anchoring"),
    path("anchoring/items/", quality_pages.anchoring_items, name="anchoring_items"),
    path("pace/", quality_pages.pace, name="pace"),
    path("pace/<int:pk>/", quality_pages.pace_person, name="pace_person"),
    path("mine/pace/", quality_pages.my_pace, name="my_pace"),
    path("samples/", acceptance_sampling.samples, name="samples"),
    path("samples/<int:pk>/", sample_pages.sample, name="sample"),
    path("samples/<int:pk>/decide/", sample_pages.sample_decide, name="sample_decide"),
    path("samples/<int:pk>/whole/", acceptance_sampling.sample_whole, name="sample_whole"),
    path("classification/", classification.classification, name="classification"),
    path("classification/<int:pk>/", classification.classification_run, name="classification_run"),
    path("classification/<int:pk>/items/", classification.classification_items, name="classification_items"),
    path("import/", intake_pages.import_page, name="import"),
    path("import/<int:pk>/", intake_pages.batch, name="batch"),
    path("import/<int:pk>/settings/", intake_pages.batch_settings, name="batch_settings"),
    path("import/<int:pk>/confirm/", intake_pages.batch_confirm, name="batch_confirm"),
    path("import/<int:pk>/discard/", intake_pages.batch_discard, name="batch_discard"),
    path("import/<int:pk>/rejects/", intake_pages.batch_rejects, name="batch_rejects"),
    path("files/", file_pages.media, name="media"),
    path("files/remove/", file_pages.media_remove, name="media_remove"),
    path("files/<str:link>/", media_pages.media_file, name="media_file"),
    path("releases/", release_pages.releases, name="releases"),
    path("releases/compare/", compare_pages.release_compare, name="release_compare"),
    path("releases/<int:version>/", release_pages.release, name="release"),
    path("releases/<int:version>/download/", release_pages.release_download, name="release_download"),
    path("releases/<int:version>/manifest/", release_pages.release_manifest, name="release_manifest"),
    path("releases/<int:version>/card/", release_pages.release_card, name="release_card"),
    path("releases/<int:version>/withdraw/", release_pages.release_withdraw, name="release_withdraw"),
    path("releases/<int:version>/retry/", release_pages.release_retry, name="release_retry"),
    path("collect/", chat_log_pages.collect, name="collect"),
    path("collect/<int:pk>/", chat_log_pages.collect_log, name="collect_log"),
    path("collect/<int:pk>/replaced/", chat_log_pages.collect_replaced, name="collect_replaced"),
    path("collect/<int:pk>/replace/", chat_log_pages.collect_replace, name="collect_replace"),
    path("near-duplicates/", intake_pages.near_duplicates, name="near_duplicates"),
    path("near-duplicates/search/", intake_pages.near_duplicates_search, name="near_duplicates_search"),
    path("near-duplicates/<int:pk>/", intake_pages.near_duplicate, name="near_duplicate"),
    path("runs/", run_pages.runs, name="runs"),
    path("runs/new/", run_action_pages.run_new, name="run_new"),
    path("runs/compare/", run_comparison.run_compare, name="run_compare"),
    path("runs/<int:pk>/", run_pages.run, name="run"),
    path("runs/<int:pk>/jobs/", run_detail_pages.run_jobs, name="run_jobs"),
    path("runs/<int:pk>/spending/", run_pages.run_spending, name="run_spending"),
    path("runs/<int:pk>/start/", run_action_pages.run_start, name="run_start"),
    path("runs/<int:pk>/pause/", run_action_pages.run_pause, name="run_pause"),
    path("runs/<int:pk>/resume/", run_action_pages.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", run_action_pages.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/retry/", run_action_pages.run_retry, name="run_retry"),
    path("runs/<int:pk>/budget/", run_action_pages.run_budget, name="run_budget"),
    path("runs/<int:pk>/reread/", run_action_pages.run_reread, name="run_reread"),
    path("jobs/<int:pk>/", run_detail_pages.job, name="job"),
    path("prompts/", prompt_pages.prompt_list, name="prompts"),
    path("prompts/made/", instructions.prompts_made, name="prompts_made"),
    path("prompts/trials/<int:pk>/", prompt_pages.prompt_trial, name="prompt_trial"),
    path("prompts/<str:which>/", prompt_pages.prompt, name="prompt"),
    path("prompts/<str:which>/edit/", prompt_pages.prompt_edit, name="prompt_edit"),
    path("prompts/<str:which>/raw/", prompt_pages.prompt_raw, name="prompt_raw"),
    path("prompts/<str:which>/try/", prompt_pages.prompt_try, name="prompt_try"),
    path("prompts/<str:which>/adopt/", prompt_pages.prompt_adopt, name="prompt_adopt"),
    path("prompts/<str:which>/shipped/", prompt_pages.prompt_shipped, name="prompt_shipped"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    *ACCOUNT,
    path("endpoints/", include(ENDPOINTS)),
    path("survey/<slug:slug>/", include(SURVEY)),
    path("p/<slug:slug>/", include(PROJECT)),
]
