"""Questions as data: a definition says what people look at and what they are asked. Pure: no database, no network."""
