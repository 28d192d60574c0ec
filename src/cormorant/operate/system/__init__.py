"""State of the installation: status, readiness, metrics, hosts, tokens, the doctor's checks."""
