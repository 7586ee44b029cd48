"""The write side: plain functions of a session and an actor; they raise domain errors and never
commit. Locks are taken in one order: topic, reply, node, users by id.
"""
