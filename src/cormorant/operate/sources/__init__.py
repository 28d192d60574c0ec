"""Sources: create, edit, test, preview the impact of a change, delete."""
