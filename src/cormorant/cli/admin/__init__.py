"""Commands for administrators: status, doctor, store, index, secrets, tokens."""
