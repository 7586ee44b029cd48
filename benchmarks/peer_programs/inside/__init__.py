"""What runs in the Python of a peer: its settings, and scripts that fill its tables.

Nothing here imports a module of forumsvc or of its dependencies.
"""
