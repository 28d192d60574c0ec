"""Alembic's environment: runs on the connection of `store.db.migrate`, inside its transaction."""

from alembic import context

from cormorant.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=False)
context.run_migrations()
