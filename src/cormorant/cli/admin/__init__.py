"""Commands that look after an installation: status, doctor, store, index, secrets, tokens."""
