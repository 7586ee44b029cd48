"""What a text, a login, an address or an id may be, and messages that are translated."""
