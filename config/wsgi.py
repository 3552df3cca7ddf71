import os

from django.core.wsgi import get_wsgi_application

from config.serving import LimitedApplication

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = LimitedApplication(get_wsgi_application())
