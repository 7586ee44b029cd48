"""Database access, without knowledge of the forum: see `README.md` in this folder."""
