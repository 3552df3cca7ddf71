"""Surveys of the public: what they ask, who answers, and what becomes of it."""
