"""The whole installation for programs: what `cormorant status` and `cormorant provider` do and print."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import Deliveries, System
from cormorant.operate.system import status
from cormorant.web.api.routing import Json, order, route


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""

    @route(router, "/system", Scope.OPERATE, System)
    def show_system() -> Response:
        """Show the state of everything: sources and their last good run, held runs, deliveries, disks, processes."""
        return Json(status.status(house))

    @order(router, "POST", "/provider/pause", Scope.OPERATE, Deliveries)
    def pause_deliveries() -> Response:
        """Pause deliveries to the index and all receivers. What is found waits; crawling goes on."""
        receivers.set_paused(house, paused=True)
        return Json({"paused": True})

    @order(router, "POST", "/provider/resume", Scope.OPERATE, Deliveries)
    def resume_deliveries() -> Response:
        """Resume deliveries where they stopped."""
        receivers.set_paused(house, paused=False)
        return Json({"paused": False})
