"""Connections to other hosts, at addresses that were checked."""
