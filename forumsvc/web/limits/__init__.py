"""How often an address, a user and an application may call."""
