"""The REST interface, its OpenAPI description and its JSON records."""
