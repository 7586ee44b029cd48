"""Sending webhooks: signatures (Standard Webhooks 1.0.0), and addresses that may be called."""
