"""People's accounts: made, changed, confirmed, exported, closed and erased."""
