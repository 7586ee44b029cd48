"""Erasing a person, step by step."""
