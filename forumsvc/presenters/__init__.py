"""The serializers of the API description, from rows. They run no query."""
