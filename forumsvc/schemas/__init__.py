"""The schemas of request parameters: colander with stricter field types."""
