"""Feeds of the newest topics: of the forum, of a node, of a user."""
