"""The write side: functions that take a session and an actor.

They raise domain errors and never commit. Locks are taken in one order: topic, reply, node, and
users by id.
"""
