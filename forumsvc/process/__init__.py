"""What a process of the service is and has: cores, name, files, passwords."""
