"""Who needs the database waits for it, and says so once."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Thread

import pytest

from cormorant.app.processes import database_wait
from cormorant.base.clock import pause
from cormorant.base.errors import DataFolderError
from tests.clocks import HANG_S
from tests.stores import Postgres


def test_it_begins_as_soon_as_the_server_can_be_reached(
    postgres: Postgres, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    socket = tmp_path / "socket"
    waiting = Thread(target=database_wait.database, args=(f"postgresql://tests@/shared?host={socket}",), daemon=True)
    waiting.start()
    pause(3 * database_wait.FIRST_S)
    assert waiting.is_alive()
    socket.symlink_to(postgres.folder)
    waiting.join(HANG_S)
    assert not waiting.is_alive()
    (said,) = [each for each in caplog.records if each.name == database_wait.__name__]
    assert "does not answer" in said.__dict__["reason"]


def test_what_no_waiting_helps_is_raised(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"no database at all" * 1000)
    with pytest.raises(DataFolderError):
        database_wait.database(f"sqlite:///{tmp_path / 'store.db'}")
