"""What does time do to an installation? Data folders that older versions made, opened by this one."""
