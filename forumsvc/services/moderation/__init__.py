"""What moderators do: restrictions of users, reports and reviews, and the log of it all."""
