"""SELECTs, built once, of columns instead of entities; a list costs as much as its page."""
