"""What every request passes, outermost first: its id, CORS, compression, guard, transaction."""
