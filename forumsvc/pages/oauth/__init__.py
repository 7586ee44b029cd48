"""The pages of OAuth: consent, and the applications of a user."""
