"""The pages of an account: logging in, signing up, the password, settings, and the data."""
