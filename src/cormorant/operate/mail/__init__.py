"""Messages of mail as pages show them: header, text, thread and month."""
