"""Foreign and native files -> rows in the native shape. Pure: no models, no settings, no network.

A native row holds the facts and draft fields of its kind at the top level, under the names that exports use, and:
  key            optional text, unique in the project
  suggestion     optional: draft fields, "model", "prompt_version", "doubts": [{"path", "message"}]
  final          optional: draft fields of the accepted work
  provenance     ignored: exports write it
What the top-level draft fields become (a suggestion, accepted work) is the importer's choice, not the reader's.

A new format is one module here with a `FORMAT`; nothing else has to know of it.
"""
