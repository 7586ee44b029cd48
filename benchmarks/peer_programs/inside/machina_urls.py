"""The addresses of a project with django-machina."""

from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.urls import include, path
from machina import urls as machina_urls

urlpatterns = [
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("admin/", admin.site.urls),
    path("", include(machina_urls)),
]
