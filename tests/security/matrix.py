"""Who may do what: one line an address and method. A method that an address does not list is refused to everybody.

sign-in  sent to the sign-in page          404  as if it did not exist
403      told that their role may not      ok   answered (or a bad or late form told so: 409, 422)

The last column names the object whose id stands in the address (see world.py); where there is one of each person's own,
everybody asks for their own. `stranger` leads another project; `staff` administers the installation, is in no project.
"""

ROLES = ("anonymous", "stranger", "viewer", "annotator", "reviewer", "lead", "staff")

TABLE = """
address                               method  anonymous  stranger  viewer  annotator  reviewer  lead  staff  object

# signing in and out
account_login                         GET     ok         ok        ok      ok         ok        ok    ok
account_login                         POST    ok         ok        ok      ok         ok        ok    ok
account_logout                        GET     ok         ok        ok      ok         ok        ok    ok
account_logout                        POST    ok         ok        ok      ok         ok        ok    ok
account_inactive                      GET     ok         ok        ok      ok         ok        ok    ok
account_signup                        GET     ok         ok        ok      ok         ok        ok    ok
account_signup                        POST    ok         ok        ok      ok         ok        ok    ok
account_reset_password                GET     ok         ok        ok      ok         ok        ok    ok
account_reset_password                POST    ok         ok        ok      ok         ok        ok    ok
account_reset_password_done           GET     ok         ok        ok      ok         ok        ok    ok
account_reset_password_from_key       GET     ok         ok        ok      ok         ok        ok    ok
account_reset_password_from_key       POST    ok         ok        ok      ok         ok        ok    ok
account_reset_password_from_key_done  GET     ok         ok        ok      ok         ok        ok    ok
account_confirm_login_code            GET     sign-in    ok        ok      ok         ok        ok    ok
account_confirm_login_code            POST    sign-in    ok        ok      ok         ok        ok    ok
account_confirm_email                 GET     ok         ok        ok      ok         ok        ok    ok
account_confirm_email                 POST    404        404       404     404        404       404   404
account_email_verification_sent       GET     ok         ok        ok      ok         ok        ok    ok
mfa_authenticate                      GET     sign-in    ok        ok      ok         ok        ok    ok
mfa_authenticate                      POST    sign-in    ok        ok      ok         ok        ok    ok

account_email                         GET     ok         ok        ok      ok         ok        ok    ok

# one's own account; what belongs to a second step is not there while it is off, as here
account_reauthenticate                GET     sign-in    ok        ok      ok         ok        ok    ok
account_reauthenticate                POST    sign-in    ok        ok      ok         ok        ok    ok
account_change_password               GET     sign-in    ok        ok      ok         ok        ok    ok
account_change_password               POST    sign-in    ok        ok      ok         ok        ok    ok
account_set_password                  GET     sign-in    ok        ok      ok         ok        ok    ok
account_set_password                  POST    sign-in    ok        ok      ok         ok        ok    ok
mfa_index                             GET     sign-in    ok        ok      ok         ok        ok    ok
mfa_reauthenticate                    GET     sign-in    ok        ok      ok         ok        ok    ok
mfa_reauthenticate                    POST    sign-in    ok        ok      ok         ok        ok    ok
mfa_activate_totp                     GET     sign-in    ok        ok      ok         ok        ok    ok
mfa_activate_totp                     POST    sign-in    ok        ok      ok         ok        ok    ok
mfa_deactivate_totp                   GET     sign-in    404       404     404        404       404   404
mfa_deactivate_totp                   POST    sign-in    404       404     404        404       404   404
mfa_view_recovery_codes               GET     sign-in    404       404     404        404       404   404
mfa_generate_recovery_codes           GET     sign-in    ok        ok      ok         ok        ok    ok
mfa_generate_recovery_codes           POST    sign-in    ok        ok      ok         ok        ok    ok
mfa_download_recovery_codes           GET     sign-in    404       404     404        404       404   404

# outside of projects
home                                  GET     sign-in    ok        ok      ok         ok        ok    ok
preferences                           GET     sign-in    ok        ok      ok         ok        ok    ok
preferences                           POST    sign-in    ok        ok      ok         ok        ok    ok
preferences_theme                     POST    ok         ok        ok      ok         ok        ok    ok
preferences_language                  POST    ok         ok        ok      ok         ok        ok    ok
my_record                             GET     sign-in    ok        ok      ok         ok        ok    ok
my_record_json                        GET     sign-in    ok        ok      ok         ok        ok    ok
guide                                 GET     sign-in    ok        ok      ok         ok        ok    ok
guide_picture                         GET     sign-in    404       404     404        404       404   404
inbox                                 GET     sign-in    ok        ok      ok         ok        ok    ok
inbox_read                            POST    sign-in    ok        ok      ok         ok        ok    ok
mails_stop                            GET     404        404       404     404        404       404   404
mails_stop                            POST    404        404       404     404        404       404   404
invitation                            GET     ok         ok        ok      ok         ok        ok    ok     token
invitation                            POST    ok         ok        ok      ok         ok        ok    ok     token
reset_links                           GET     sign-in    403       403     403        403       403   ok
reset_links                           POST    sign-in    403       403     403        403       403   ok
audit_trail                           GET     sign-in    403       403     403        403       403   ok
audit_export                          GET     sign-in    403       403     403        403       403   ok
jump                                  GET     sign-in    ok        ok      ok         ok        ok    ok
projects                              GET     sign-in    ok        ok      ok         ok        ok    ok
project_new                           GET     sign-in    ok        403     403        403       ok    ok
project_new                           POST    sign-in    ok        403     403        403       ok    ok
kind_sample                           GET     sign-in    404       404     404        404       404   404

# surveys of the public: without an account, by a private link; the kind of these projects takes no reports, so none
# is there (tests/security/test_survey_access.py)
survey_start                          GET     404        404       404     404        404       404   404
survey_start                          POST    404        404       404     404        404       404   404
survey_own                            GET     404        404       404     404        404       404   404
survey_case                           GET     404        404       404     404        404       404   404
survey_case                           POST    404        404       404     404        404       404   404
survey_case_remove                    POST    404        404       404     404        404       404   404
survey_answers                        GET     404        404       404     404        404       404   404
survey_answers                        POST    404        404       404     404        404       404   404
survey_send                           GET     404        404       404     404        404       404   404
survey_send                           POST    404        404       404     404        404       404   404
survey_copy                           GET     404        404       404     404        404       404   404
survey_withdraw                       GET     404        404       404     404        404       404   404
survey_withdraw                       POST    404        404       404     404        404       404   404
survey_lead                           GET     sign-in    404       403     403        403       404   404
survey_lead                           POST    sign-in    404       403     403        403       404   404
survey_switch                         POST    sign-in    404       403     403        403       404   404
survey_preview                        GET     sign-in    404       403     403        403       404   404
survey_export                         GET     sign-in    404       403     403        403       404   404

# endpoints of models: for administrators only
endpoints                             GET     sign-in    403       403     403        403       403   ok
endpoint_new                          GET     sign-in    403       403     403        403       403   ok
endpoint_new                          POST    sign-in    403       403     403        403       403   ok
endpoint                              GET     sign-in    403       403     403        403       403   ok     endpoint
endpoint                              POST    sign-in    403       403     403        403       403   ok     endpoint
endpoint_retire                       POST    sign-in    403       403     403        403       403   ok     endpoint
endpoint_forget                       POST    sign-in    403       403     403        403       403   ok     endpoint
endpoint_test                         POST    sign-in    403       403     403        403       403   ok     endpoint

# a project
overview                              GET     sign-in    404       ok      ok         ok        ok    404
tour                                  GET     sign-in    404       ok      ok         ok        ok    404
tour                                  POST    sign-in    404       ok      ok         ok        ok    404
lease_release                         POST    sign-in    404       403     403        403       ok    404    slot
questions                             GET     sign-in    404       403     403        403       404   404
questions                             POST    sign-in    404       403     403        403       404   404
questions_convert                     GET     sign-in    404       403     403        403       404   404
questions_convert                     POST    sign-in    404       403     403        403       404   404
guidelines                            GET     sign-in    404       ok      ok         ok        ok    404
guidelines_edit                       GET     sign-in    404       403     403        403       ok    404
guidelines_edit                       POST    sign-in    404       403     403        403       ok    404
stale_items                           GET     sign-in    404       403     403        403       ok    404
stale_reopen                          POST    sign-in    404       403     403        403       ok    404
reopening                             GET     sign-in    404       403     403        403       ok    404    reopening
reopening_back                        POST    sign-in    404       403     403        403       ok    404    reopening
# annotators ask about items that they worked on, here one that they did not
precedents                            GET     sign-in    404       ok      ok         ok        ok    404
precedent_ask                         GET     sign-in    404       403     404        ok        ok    404    item
precedent_ask                         POST    sign-in    404       403     404        ok        ok    404    item
precedent_rule                        POST    sign-in    404       403     403        403       ok    404    question
precedent_withdraw                    POST    sign-in    404       403     403        403       ok    404    ruling
precedent_read                        POST    sign-in    404       403     403        403       ok    404    question
project_settings                      GET     sign-in    404       403     403        403       ok    404
project_settings                      POST    sign-in    404       403     403        403       ok    404
pause                                 POST    sign-in    404       403     403        403       ok    404
project_audit                         GET     sign-in    404       403     403        403       ok    404
project_audit_export                  GET     sign-in    404       403     403        403       ok    404

# what models are told in it
prompts                               GET     sign-in    404       403     403        403       ok    404
prompts_made                          GET     sign-in    404       403     403        403       ok    404
prompt                                GET     sign-in    404       403     403        403       ok    404    prompt
prompt_edit                           GET     sign-in    404       403     403        403       ok    404    prompt
prompt_edit                           POST    sign-in    404       403     403        403       ok    404    prompt
prompt_raw                            GET     sign-in    404       403     403        403       ok    404    raw prompt
prompt_raw                            POST    sign-in    404       403     403        403       ok    404    raw prompt
prompt_try                            GET     sign-in    404       403     403        403       ok    404    prompt
prompt_try                            POST    sign-in    404       403     403        403       ok    404    prompt
prompt_adopt                          POST    sign-in    404       403     403        403       ok    404    prompt
prompt_shipped                        POST    sign-in    404       403     403        403       ok    404    prompt
prompt_trial                          GET     sign-in    404       403     403        403       ok    404    trial

# its people
people                                GET     sign-in    404       403     403        403       ok    404
invite                                POST    sign-in    404       403     403        403       ok    404
people_add                            POST    sign-in    404       403     403        403       ok    404
invitation_revoke                     POST    sign-in    404       403     403        403       ok    404    invitation
member                                GET     sign-in    404       403     403        403       ok    404    member
member                                POST    sign-in    404       403     403        403       ok    404    member
member_remove                         GET     sign-in    404       403     403        403       ok    404    member
member_remove                         POST    sign-in    404       403     403        403       ok    404    member

# its items: annotators see those that they worked on, here one that they did not
items                                 GET     sign-in    404       ok      403        ok        ok    404
items_csv                             GET     sign-in    404       ok      403        ok        ok    404
items_bulk                            POST    sign-in    404       403     403        403       ok    404
member_names                          GET     sign-in    404       ok      403        ok        ok    404
items_columns                         POST    sign-in    404       ok      403        ok        ok    404
item                                  GET     sign-in    404       ok      404        ok        ok    404    item
item_transcript                       GET     sign-in    404       404     404        404       404   404    item
item_decide                           POST    sign-in    404       403     403        403       ok    404    item
item_release                          POST    sign-in    404       403     403        403       ok    404    held item

# work: every one asks for what they hold themselves; a GET leads to the page of the item
work                                  GET     sign-in    404       403     ok         ok        ok    404
work_next                             GET     sign-in    404       403     ok         ok        ok    404
work_next                             POST    sign-in    404       403     ok         ok        ok    404
work_item                             GET     sign-in    404       403     ok         ok        ok    404    slot
work_before                           GET     sign-in    404       403     ok         ok        ok    404    slot
work_save                             GET     sign-in    404       403     ok         ok        ok    404    slot
work_save                             POST    sign-in    404       403     ok         ok        ok    404    slot
work_submit                           GET     sign-in    404       403     ok         ok        ok    404    slot
work_submit                           POST    sign-in    404       403     ok         ok        ok    404    slot
work_skip                             GET     sign-in    404       403     ok         ok        ok    404    slot
work_skip                             POST    sign-in    404       403     ok         ok        ok    404    slot
work_release                          GET     sign-in    404       403     ok         ok        ok    404    slot
work_release                          POST    sign-in    404       403     ok         ok        ok    404    slot
work_sibling                          GET     sign-in    404       403     ok         ok        ok    404    slot
work_sibling                          POST    sign-in    404       403     ok         ok        ok    404    slot
work_heartbeat                        GET     sign-in    404       403     ok         ok        ok    404    slot
work_heartbeat                        POST    sign-in    404       403     ok         ok        ok    404    slot
work_undo                             GET     sign-in    404       403     ok         ok        ok    404    slot
work_undo                             POST    sign-in    404       403     ok         ok        ok    404    slot
work_resolve                          GET     sign-in    404       403     ok         ok        ok    404    slot
work_resolve                          POST    sign-in    404       403     ok         ok        ok    404    slot
work_continue                         GET     sign-in    404       403     ok         ok        ok    404    slot
work_continue                         POST    sign-in    404       403     ok         ok        ok    404    slot
my_drafts                             GET     sign-in    404       403     ok         ok        ok    404

# review, likewise; and comments
review                                GET     sign-in    404       403     403        ok        ok    404
review_next                           GET     sign-in    404       403     403        ok        ok    404
review_next                           POST    sign-in    404       403     403        ok        ok    404
review_item                           GET     sign-in    404       403     403        ok        ok    404    review
review_take                           GET     sign-in    404       403     403        ok        ok    404    review
review_take                           POST    sign-in    404       403     403        ok        ok    404    review
review_save                           GET     sign-in    404       403     403        ok        ok    404    review
review_save                           POST    sign-in    404       403     403        ok        ok    404    review
review_heartbeat                      GET     sign-in    404       403     403        ok        ok    404    review
review_heartbeat                      POST    sign-in    404       403     403        ok        ok    404    review
review_release                        GET     sign-in    404       403     403        ok        ok    404    review
review_release                        POST    sign-in    404       403     403        ok        ok    404    review
review_skip                           GET     sign-in    404       403     403        ok        ok    404    review
review_skip                           POST    sign-in    404       403     403        ok        ok    404    review
review_undo                           GET     sign-in    404       403     403        ok        ok    404    review
review_undo                           POST    sign-in    404       403     403        ok        ok    404    review
review_resolve                        GET     sign-in    404       403     403        ok        ok    404    review
review_resolve                        POST    sign-in    404       403     403        ok        ok    404    review
review_accept                         GET     sign-in    404       403     403        ok        ok    404    review
review_accept                         POST    sign-in    404       403     403        ok        ok    404    review
review_fix                            GET     sign-in    404       403     403        ok        ok    404    review
review_fix                            POST    sign-in    404       403     403        ok        ok    404    review
review_return                         GET     sign-in    404       403     403        ok        ok    404    review
review_return                         POST    sign-in    404       403     403        ok        ok    404    review
review_drop                           GET     sign-in    404       403     403        ok        ok    404    review
review_drop                           POST    sign-in    404       403     403        ok        ok    404    review
comment_add                           POST    sign-in    404       403     404        ok        ok    404    item
comment_answer                        POST    sign-in    404       403     404        ok        ok    404    thread
comment_resolve                       POST    sign-in    404       403     404        ok        ok    404    thread

# files
import                                GET     sign-in    404       403     403        403       ok    404
import                                POST    sign-in    404       403     403        403       ok    404
batch                                 GET     sign-in    404       403     403        403       ok    404    preview
batch_settings                        POST    sign-in    404       403     403        403       ok    404    preview
batch_confirm                         POST    sign-in    404       403     403        403       ok    404    preview
batch_discard                         POST    sign-in    404       403     403        403       ok    404    preview
batch_rejects                         GET     sign-in    404       403     403        403       ok    404    batch
# only kinds whose questions are data have files, as these projects' kind has not (tests/annotate/media)
media                                 GET     sign-in    404       403     403        403       404   404
media                                 POST    sign-in    404       403     403        403       404   404
media_remove                          GET     sign-in    404       403     403        403       404   404
media_remove                          POST    sign-in    404       403     403        403       404   404
media_file                            GET     sign-in    404       404     404        404       404   404

collect                               GET     sign-in    404       403     403        403       ok    404
collect                               POST    sign-in    404       403     403        403       ok    404
collect_log                           GET     sign-in    404       403     403        403       ok    404    log
collect_log                           POST    sign-in    404       403     403        403       ok    404    log
collect_replaced                      GET     sign-in    404       403     403        403       ok    404    log
collect_replace                       POST    sign-in    404       403     403        403       ok    404    log
near_duplicates                       GET     sign-in    404       403     403        403       ok    404
near_duplicates_search                POST    sign-in    404       403     403        403       ok    404
near_duplicate                        POST    sign-in    404       403     403        403       ok    404    pair
releases                              GET     sign-in    404       ok      403        ok        ok    404
releases                              POST    sign-in    404       403     403        403       ok    404
release_compare                       GET     sign-in    404       ok      403        ok        ok    404
release                               GET     sign-in    404       ok      403        ok        ok    404    release
release_download                      GET     sign-in    404       ok      403        ok        ok    404    release
release_manifest                      GET     sign-in    404       ok      403        ok        ok    404    release
release_card                          GET     sign-in    404       ok      403        ok        ok    404    release
release_withdraw                      GET     sign-in    404       403     403        403       ok    404    release
release_withdraw                      POST    sign-in    404       403     403        403       ok    404    release
release_retry                         POST    sign-in    404       403     403        403       ok    404    release
# a reviewer of the world may vote in a study that runs, and the pairs say what people voted for
training                              GET     sign-in    404       ok      403        403       ok    404
training_files                        GET     sign-in    404       ok      403        403       ok    404

# what models do: for leads only; who is late is told so
runs                                  GET     sign-in    404       403     403        403       ok    404
run_new                               GET     sign-in    404       403     403        403       ok    404
run_new                               POST    sign-in    404       403     403        403       ok    404
run_compare                           GET     sign-in    404       403     403        403       ok    404
run                                   GET     sign-in    404       403     403        403       ok    404    run
run_jobs                              GET     sign-in    404       403     403        403       ok    404    run
run_spending                          GET     sign-in    404       403     403        403       ok    404    run
run_start                             POST    sign-in    404       403     403        403       ok    404    run
run_pause                             POST    sign-in    404       403     403        403       ok    404    run
run_resume                            POST    sign-in    404       403     403        403       ok    404    run
run_cancel                            GET     sign-in    404       403     403        403       ok    404    run
run_cancel                            POST    sign-in    404       403     403        403       ok    404    run
run_retry                             POST    sign-in    404       403     403        403       ok    404    run
run_budget                            GET     sign-in    404       403     403        403       ok    404    run
run_budget                            POST    sign-in    404       403     403        403       ok    404    run
run_reread                            GET     sign-in    404       403     403        403       ok    404    run
run_reread                            POST    sign-in    404       403     403        403       ok    404    run

# what became of one's own texts, and objections to it
my_corrections                        GET     sign-in    404       403     ok         ok        ok    404
correction_dispute                    POST    sign-in    404       403     404        404       404   404    own text
disputes                              GET     sign-in    404       403     403        ok        ok    404
dispute                          GET     sign-in    404       403     403        ok        ok    404 fixed dispute
dispute_decide                   POST    sign-in    404       403     403        ok        ok    404 fixed dispute

# how suggestions move answers
anchoring                             GET     sign-in    404       ok      403        403       ok    404
anchoring_items                       GET     sign-in    404       ok      403        403       ok    404

# pace and quality: of all for leads, of oneself for everybody who works
pace                                  GET     sign-in    404       403     403        403       ok    404
pace_person                           GET     sign-in    404       403     403        403       ok    404    member
my_pace                               GET     sign-in    404       403     ok         ok        ok    404

# getting people ready
readiness                             GET     sign-in    404       403     403        403       ok    404
readiness_settings                    GET     sign-in    404       403     403        403       ok    404
readiness_settings                    POST    sign-in    404       403     403        403       ok    404
readiness_mark                        POST    sign-in    404       403     403        403       ok    404
readiness_person                 GET     sign-in    404       403     403        403       ok    404 calibrated member
readiness_decide                 POST    sign-in    404       403     403        403       ok    404 calibrated member
calibration_again                     POST    sign-in    404       403     ok         ok        ok    404
work_feedback                    GET     sign-in    404       403     ok         ok        ok    404 calibrated slot

samples                               GET     sign-in    404       403     403        403       ok    404
samples                               POST    sign-in    404       403     403        403       ok    404
sample                                GET     sign-in    404       403     403        ok        ok    404    sample
sample_decide                         POST    sign-in    404       403     403        ok        ok    404    sample
sample_whole                          POST    sign-in    404       403     403        403       ok    404    sample
classification                        GET     sign-in    404       403     403        403       ok    404
classification_run                    GET     sign-in    404       403     403        403       ok    404    run
classification_items                  GET     sign-in    404       403     403        403       ok    404    run
job                                   GET     sign-in    404       403     403        403       ok    404    job

# what candidates answered
answers                               GET     sign-in    404       ok      403        ok        ok    404
answers_import                        GET     sign-in    404       403     403        403       ok    404
answers_import                        POST    sign-in    404       403     403        403       ok    404
answer_author                         GET     sign-in    404       ok      403        ok        ok    404    author
answer_author                         POST    sign-in    404       403     403        403       ok    404    author
answer                                GET     sign-in    404       ok      403        ok        ok    404    answer

# what judges said of them; the pages, files and prints of boards have their lines from lines.py
leaderboard_items                     GET     sign-in    404       ok      403        ok        ok    404
item_verdicts                         GET     sign-in    404       ok      403        ok        ok    404    judged item

# checklists, what is too easy, what the dataset is made of
checklist_question                    GET     sign-in    404       ok      403        ok        ok    404    judged item
live_scores                           POST    sign-in    404       403     404        ok        ok    404    item
statistics_items                      GET     sign-in    404       ok      403        ok        ok    404
difficulty                            GET     sign-in    404       ok      403        ok        ok    404
difficulty_apply                      POST    sign-in    404       403     403        403       ok    404
difficulty_restore                    POST    sign-in    404       403     403        403       ok    404
arithmetic_plan                       POST    sign-in    404       403     403        403       ok    404
# only where items hold answers of their own; the world's project is of another kind
judge_settings_plan                   POST    sign-in    404       403     403        403       404   404
judge_settings_start                  POST    sign-in    404       403     403        403       404   404
difficulty_units                      GET     sign-in    404       404     403        403       404   404
difficulty_csv                        GET     sign-in    404       404     403        403       404   404
difficulty_json                       GET     sign-in    404       404     403        403       404   404
difficulty_one_page                   GET     sign-in    404       404     403        403       404   404
bridging                              GET     sign-in    404       404     403        404       404   404
bridging_make                         POST    sign-in    404       403     403        403       404   404
bridging_approve                      POST    sign-in    404       403     403        403       404   404
bridging_next                         POST    sign-in    404       403     403        404       404   404
bridging_take                         POST    sign-in    404       403     403        404       404   404    item
bridging_gain                         GET     sign-in    404       404     403        404       404   404
bridging_gain_items                   GET     sign-in    404       404     403        404       404   404
blindspot_pairs                       GET     sign-in    404       404     403        404       404   404
blindspot_explanations                GET     sign-in    404       404     403        404       404   404
blindspot_check                       GET     sign-in    404       403     403        404       404   404
blindspot_check                       POST    sign-in    404       403     403        404       404   404
blindspot_checked                     GET     sign-in    404       404     403        404       404   404

# people's votes about answers
studies                               GET     sign-in    404       403     403        403       ok    404
studies                               POST    sign-in    404       403     403        403       ok    404
study_live                            GET     sign-in    404       403     403        403       ok    404    study
study_leaks                           GET     sign-in    404       403     403        403       ok    404    study
study_close                           POST    sign-in    404       403     403        403       ok    404    study

# whether a judge may stand in for people; a reviewer of the world may vote in a study that runs
trust_units                           GET     sign-in    404       ok      403        403       ok    404
# views of dashboards under a name; the world's is its lead's own
saved_view_save                       POST    sign-in    404       ok      403        ok        ok    404
saved_view_delete                     POST    sign-in    404       404     403        404       ok    404    saved view
# figures of a board (the world's: its leaderboard) that a worker computes; as the board
board_computation                     GET     sign-in    404       ok      403        ok        ok    404    computation
board_computation_json                GET     sign-in    404       ok      403        ok        ok    404    computation
board_computation_stop                POST    sign-in    404       ok      403        ok        ok    404    computation
board_computation_again               POST    sign-in    404       ok      403        ok        ok    404    computation
# a reviewer could vote in the study of the world, which still runs: until it is closed they see nothing of it
agreement_units                       GET     sign-in    404       ok      403        403       ok    404
agreement_ratings                     GET     sign-in    404       ok      403        403       ok    404
agreement_ratings_manifest            GET     sign-in    404       ok      403        403       ok    404
agreement_item                        GET     sign-in    404       404     403        403       404   404    item
ranking_battles                       GET     sign-in    404       ok      403        403       ok    404
ranking_compare                       GET     sign-in    404       ok      403        403       ok    404

# judging by criteria; as agreement, of which it holds people's labels
branch_criteria                       GET     sign-in    404       ok      403        403       ok    404
branch_gain                           GET     sign-in    404       ok      403        403       ok    404
branch_systems                        GET     sign-in    404       ok      403        403       ok    404
# no judge of the world has gone through criteria
branch_pairs                          GET     sign-in    404       404     403        403       404   404
branch_corrections                    GET     sign-in    404       404     403        403       404   404

# judges, and judgements of others
results                               GET     sign-in    404       ok      403        ok        ok    404
judges                                GET     sign-in    404       ok      403        ok        ok    404
import_judgements                     GET     sign-in    404       403     403        403       ok    404
import_judgements                     POST    sign-in    404       403     403        403       ok    404
"""

# What a form or query must hold to be understood, name -> object; empty forms do for the others.
FORMS = {
    "anchoring_items": {"field": "field", "arm": "arm"},
    "item_release": {"slot": "slot"},
    "release_compare": {"old": "release", "new": "release"},
    "run_compare": {"run": "run", "other": "run"},
    "item_verdicts": {"judge": "judge", "answer": "answer"},
}
