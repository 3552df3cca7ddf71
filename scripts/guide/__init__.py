"""The guide's commands, outputs and pictures: read from its pages, run on an installation of their own."""
