"""How well the questions of checklists work, and what an answer would score under an edited one."""
