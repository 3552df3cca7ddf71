import os

from django.core.wsgi import get_wsgi_application

from config.serving import Serving

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = Serving(get_wsgi_application())
