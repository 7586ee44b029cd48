"""From rows to the serializers of the API description, by their names; nothing is loaded here."""
