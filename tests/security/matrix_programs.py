"""The part of the matrix that is about programs: the API, and the pages on which leads let programs in.

In the API everybody comes with the token of their role, where they have one; their session comes along and does not
count.

401      told that there is no token that opens anything
"""

TABLE = """
# pages for leads
tokens                                GET     sign-in    404       403     403        403       ok    404
tokens                                POST    sign-in    404       403     403        403       ok    404
token_revoke                          POST    sign-in    404       403     403        403       ok    404    token id
webhooks                              GET     sign-in    404       403     403        403       ok    404
webhooks                              POST    sign-in    404       403     403        403       ok    404
webhook                               GET     sign-in    404       403     403        403       ok    404    webhook
webhook_test                          POST    sign-in    404       403     403        403       ok    404    webhook
webhook_switch                        POST    sign-in    404       403     403        403       ok    404    webhook
webhook_remove                        GET     sign-in    404       403     403        403       ok    404    webhook
webhook_remove                        POST    sign-in    404       403     403        403       ok    404    webhook
delivery_again                        POST    sign-in    404       403     403        403       ok    404    delivery

# the API
api_schema                            GET     ok         ok        ok      ok         ok        ok    ok
api_docs                              GET     ok         ok        ok      ok         ok        ok    ok
api_projects                          GET     401        ok        ok      ok         ok        ok    401
api_project                           GET     401        404       ok      ok         ok        ok    401
api_audit                             GET     401        404       403     403        403       ok    401
api_items                             GET     401        404       ok      403        ok        ok    401
api_item                              GET     401        404       ok      404        ok        ok    401    item
api_item_history                      GET     401        404       ok      404        ok        ok    401    item
api_item_comments                     GET     401        404       ok      404        ok        ok    401    item
api_imports                           GET     401        404       403     403        403       ok    401
api_imports                           POST    401        404       403     403        403       ok    401
api_import                            GET     401        404       403     403        403       ok    401    batch
api_import_rejects                    GET     401        404       403     403        403       ok    401    batch
api_runs                              GET     401        404       403     403        403       ok    401
api_runs                              POST    401        404       403     403        403       ok    401
api_run                               GET     401        404       403     403        403       ok    401    run
api_run_estimate                      GET     401        404       403     403        403       ok    401    run
api_run_progress                      GET     401        404       403     403        403       ok    401    run
api_run_start                         POST    401        404       403     403        403       ok    401    run
api_run_pause                         POST    401        404       403     403        403       ok    401    run
api_run_resume                        POST    401        404       403     403        403       ok    401    run
api_run_cancel                        POST    401        404       403     403        403       ok    401    run
api_run_retry                         POST    401        404       403     403        403       ok    401    run
api_releases                          GET     401        404       ok      403        ok        ok    401
api_releases                          POST    401        404       403     403        403       ok    401
api_release                           GET     401        404       ok      403        ok        ok    401    release
api_release_download                  GET     401        404       ok      403        ok        ok    401    release
api_release_manifest                  GET     401        404       ok      403        ok        ok    401    release
api_release_verify                    GET     401        404       ok      403        ok        ok    401    release
"""

# What a request must hold to be understood: (media type, body). An empty JSON object does for the others.
BODIES = {
    "api_imports": ("application/jsonl", '{"key": "posted"}\n'),
    "api_runs": ("application/json", '{"purpose": "preannotate", "endpoint": "nowhere"}'),
}
NO_BODY = ("application/json", "{}")
