"""The pages of users: the profile, and the lists below it."""
