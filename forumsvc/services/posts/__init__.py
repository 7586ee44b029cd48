"""Topics, replies and nodes, the texts in them, and what people do with them."""
