"""Notifications: the recipients, written with their cause; many followers after its commit."""
