"""Deliveries made of a number, so that anybody can say what the line of an event has to be."""

from __future__ import annotations

from cormorant.testing.receivers import deliveries, delivery, kept

__all__ = ["deliveries", "delivery", "kept"]
