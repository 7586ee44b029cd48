"""From the result of a view to the body and headers of the response."""
