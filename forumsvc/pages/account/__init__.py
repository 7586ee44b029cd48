"""The pages of an account: logging in, signing up, the password."""
