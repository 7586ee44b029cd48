"""Notifications: who gets one, written with what causes it, and to many followers afterwards."""
