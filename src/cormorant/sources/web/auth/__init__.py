"""Credentials, cookies and logins of web sites."""
