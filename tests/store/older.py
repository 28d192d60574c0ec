"""What makes a database one of an older version, for tests: the statements that take back what came since."""

from __future__ import annotations

BEFORE_0043 = (
    "DROP TABLE tombstone",
    "ALTER TABLE run DROP COLUMN problems",
    "UPDATE alembic_version SET version_num = '0042'",
)
BEFORE_0042 = (
    *BEFORE_0043,
    "DROP TABLE attribute_value",
    "DROP TABLE attribute",
    "UPDATE alembic_version SET version_num = '0041'",
)
BEFORE_0041 = (
    *BEFORE_0042,
    "DROP TABLE item_mark",
    "DROP TABLE item_piece",
    "DROP TABLE item",
    "UPDATE alembic_version SET version_num = '0040'",
)
BEFORE_0040 = (
    *BEFORE_0041,
    "DROP INDEX ix_content_outdated",
    "DROP TABLE reader",
    "UPDATE alembic_version SET version_num = '0039'",
)
BEFORE_0039 = (
    *BEFORE_0040,
    "DROP INDEX ix_resource_member",
    "UPDATE alembic_version SET version_num = '0038'",
)
BEFORE_0038 = (
    *BEFORE_0039,
    "DROP TABLE takedown",
    "DROP TABLE withdrawn",
    "UPDATE alembic_version SET version_num = '0037'",
)
BEFORE_0037 = (
    *BEFORE_0038,
    "DROP TABLE original",
    "DROP INDEX ix_resource_moved",
    "DROP INDEX ix_resource_excluded",
    "ALTER TABLE receiver DROP COLUMN last_seq",
    "UPDATE alembic_version SET version_num = '0036'",
)
BEFORE_0036 = (
    *BEFORE_0037,
    "ALTER TABLE token DROP COLUMN scope",
    "UPDATE alembic_version SET version_num = '0035'",
)
BEFORE_0035 = (
    *BEFORE_0036,
    "DROP INDEX ix_resource_troubled",
    "CREATE INDEX ix_resource_troubled ON resource (source_id) WHERE (outcome IN (6, 7, 8, 9) OR status = 960"
    " OR outcome IN (1, 2) AND reason IS NOT NULL)",
    "UPDATE alembic_version SET version_num = '0034'",
)
BEFORE_0034 = (
    *BEFORE_0035,
    "DROP TABLE former_source",
    "UPDATE alembic_version SET version_num = '0033'",
)
BEFORE_0033 = (
    *BEFORE_0034,
    "ALTER TABLE run DROP COLUMN cursor",
    "UPDATE alembic_version SET version_num = '0032'",
)
BEFORE_0032 = (
    *BEFORE_0033,
    "ALTER TABLE process DROP COLUMN lack",
    "UPDATE alembic_version SET version_num = '0031'",
)
BEFORE_0031 = (
    *BEFORE_0032,
    "ALTER TABLE stream DROP COLUMN at",
    "UPDATE alembic_version SET version_num = '0030'",
)
BEFORE_0030 = (
    *BEFORE_0031,
    "ALTER TABLE receiver DROP COLUMN unmade",
    "UPDATE alembic_version SET version_num = '0029'",
)
BEFORE_0029 = (*BEFORE_0030, "UPDATE alembic_version SET version_num = '0028'")
BEFORE_0028 = (
    *BEFORE_0029, "ALTER TABLE receiver DROP COLUMN lent_until", "UPDATE alembic_version SET version_num = '0027'",
)  # fmt: skip
BEFORE_0027 = (*BEFORE_0028, "UPDATE alembic_version SET version_num = '0026'")
BEFORE_0026 = (*BEFORE_0027, "DROP INDEX ix_resource_troubled", "UPDATE alembic_version SET version_num = '0025'")
BEFORE_0025 = (
    *BEFORE_0026,
    "ALTER TABLE run DROP COLUMN queued_at", "ALTER TABLE run DROP COLUMN goes_on",
    "ALTER TABLE run DROP COLUMN behind", "UPDATE alembic_version SET version_num = '0024'",
)  # fmt: skip
BEFORE_0024 = (*BEFORE_0025, "UPDATE alembic_version SET version_num = '0023'")
BEFORE_0023 = (
    *BEFORE_0024,
    "ALTER TABLE run DROP COLUMN measured",
    "UPDATE alembic_version SET version_num = '0022'",
)
BEFORE_0022 = (
    *BEFORE_0023,
    "ALTER TABLE content DROP COLUMN orphan_since",
    "UPDATE alembic_version SET version_num = '0021'",
)
BEFORE_0021 = (*BEFORE_0022, "DROP INDEX ix_run_source_id", "UPDATE alembic_version SET version_num = '0019'")
BEFORE_0019 = (
    *BEFORE_0021,
    "DROP TABLE near",
    "DROP TABLE near_band",
    "UPDATE alembic_version SET version_num = '0017'",
)
BEFORE_0017 = (
    *BEFORE_0019,
    "ALTER TABLE source DROP COLUMN test_of", "DROP TABLE parameters",
    "ALTER TABLE run DROP COLUMN mode", "ALTER TABLE run DROP COLUMN forget",
    "ALTER TABLE content DROP COLUMN unvisited", "UPDATE alembic_version SET version_num = '0015'",
)  # fmt: skip
BEFORE_0015 = (
    *BEFORE_0017,
    "ALTER TABLE receiver DROP COLUMN failures", "ALTER TABLE receiver DROP COLUMN try_at",
    "ALTER TABLE receiver DROP COLUMN resend", "ALTER TABLE stream DROP COLUMN receiver_id",
    "ALTER TABLE stream_head DROP COLUMN installation", "DROP TABLE faulty",
    "UPDATE alembic_version SET version_num = '0014'",
)  # fmt: skip
BEFORE_0013 = (
    *BEFORE_0015,
    "ALTER TABLE source DROP COLUMN agreed", "ALTER TABLE source DROP COLUMN agreed_at",
    "ALTER TABLE run DROP COLUMN waits_since", "ALTER TABLE run DROP COLUMN waited_s",
    "DROP TABLE schedule", "DROP TABLE launch", "UPDATE alembic_version SET version_num = '0012'",
)  # fmt: skip
