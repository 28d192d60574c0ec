"""A kind of receiver that an installed package adds: its class runs in a process of its own."""

from __future__ import annotations

from typing import ClassVar

from cormorant.receivers.plugin_process import Make
from cormorant.receivers.protocol import ReceiverSettings
from cormorant.receivers.python import ApartReceiver

TRIES = 5
"""Attempts for a batch that raises, before its deliveries are offered one by one."""


class PluginReceiver(ApartReceiver):
    """Calls one class of a package (`module:name`); `open` makes a new instance from the settings."""

    kind: ClassVar[str] = "plug-in"

    def __init__(self, reference: str, settings: ReceiverSettings) -> None:
        self.settings = settings
        super().__init__(Make(reference, settings=settings.model_dump_json()), TRIES)
