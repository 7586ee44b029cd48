"""The views of the API: their declaration, requests, parameters and traversal."""
