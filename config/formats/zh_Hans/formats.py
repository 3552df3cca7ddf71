"""Groups of three, as technical texts in Chinese write them; Django's own groups have four digits (1,0000)."""

THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = 3
