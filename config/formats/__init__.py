"""How numbers are written, where Django's own formats of a language differ from technical texts in it."""
