#!/usr/bin/env python
import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as missing:
        sys.exit(f"{missing}: run `make setup` first, then use .venv/bin/python manage.py")
    from django.core.exceptions import ImproperlyConfigured

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as fault:
        sys.exit(f"Touchstone cannot start: {fault}")


if __name__ == "__main__":
    main()
