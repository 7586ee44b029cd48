"""Who may use the forum from where: blocks of networks and of email addresses."""
