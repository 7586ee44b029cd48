"""The files that an installation begins with; in a checkout they are links to their places."""
