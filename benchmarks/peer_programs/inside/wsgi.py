"""The WSGI application of a peer that is a Django project."""

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()
