"""Runs the migrations on a connection that `forumsvc.migrate` hands over."""

from alembic import context

from forumsvc.models import Base

connection = context.config.attributes["connection"]

context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    compare_type=True,
    compare_server_default=False,
    transactional_ddl=True,
    transaction_per_migration=connection.dialect.name == "postgresql",
    # SQLite changes a table by copying it to a new one.
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
