"""The HTTP server: the API below /v1, and the page at /."""
