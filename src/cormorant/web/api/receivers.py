"""REST routes of receivers, like `cormorant receiver`."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.records.kinds import Kinds, SourceKindRecord
from cormorant.operate.records.receivers import (
    DeletedReceiver,
    FaultyDocument,
    ReceiverRecord,
    Receivers,
    RejectedDeliveriesRecord,
)
from cormorant.operate.sources import kinds
from cormorant.plugins import receiver_kind
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, Limit, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["index"])]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""
    _add_looks(router, house)
    _add_changes(router, house)


def _add_looks(router: APIRouter, house: Installation) -> None:
    @route(router, "/receivers", Scope.OPERATE, Receivers, ReceiverRecord)
    def list_receivers(request: Request) -> Response:
        """List the receivers, with the deliveries that wait for each."""
        found = receivers.listed(house)
        return in_lines(found) if as_lines(request) else Json({"receivers": found})

    @route(router, "/receivers/kinds", Scope.OPERATE, Kinds, SourceKindRecord)
    def list_receiver_kinds(request: Request) -> Response:
        """List the kinds of receivers and the settings of each."""
        found = [
            each | {"settings": kinds.settings_of(receiver_kind(each["kind"]).settings)}
            for each in kinds.of_receivers()
        ]
        return in_lines(found) if as_lines(request) else Json({"kinds": found})

    @route(router, "/receivers/{name}", Scope.OPERATE, ReceiverRecord)
    def show_receiver(name: Name) -> Response:
        """Show a receiver, its settings, and its place in the stream."""
        return Json(receivers.shown(house, name))

    @route(router, "/receivers/{name}/faulty", Scope.OPERATE, RejectedDeliveriesRecord, FaultyDocument)
    def list_faulty(request: Request, name: Name, limit: Limit = 100) -> Response:
        """List the documents that a receiver rejected, and the reasons."""
        total = receivers.shown(house, name)["faulty"]
        found = receivers.faulty(house, name)
        return in_lines(found) if as_lines(request) else Json({"faulty": list(islice(found, limit)), "total": total})


def _add_changes(router: APIRouter, house: Installation) -> None:
    @order(router, "POST", "/receivers", Scope.ADMIN, ReceiverRecord, 201)
    def add_receiver(said: requests.NewReceiver) -> Response:
        """Add a receiver. It gets events from now on."""
        return Json(receivers.add(house, said.kind, said.receiver, said.source, said.settings), 201)

    @order(router, "PATCH", "/receivers/{name}", Scope.ADMIN, ReceiverRecord)
    def edit_receiver(name: Name, said: requests.Edit) -> Response:
        """Change settings of a receiver. It continues after the last event that it got, even at another target."""
        return Json(receivers.edit(house, name, said.settings))

    @order(router, "DELETE", "/receivers/{name}", Scope.ADMIN, DeletedReceiver)
    def delete_receiver(name: Name) -> Response:
        """Delete a receiver. Its output stays."""
        receivers.delete(house, name)
        return Json({"receiver": name, "deleted": True})

    @order(router, "POST", "/receivers/{name}/resend", Scope.OPERATE, ReceiverRecord)
    def resend(name: Name, said: requests.ReplayRequest) -> Response:
        """Send kept documents to a receiver again, without requests to any source. The provider sends them later."""
        return Json(receivers.resend(house, name, said.source, faulty=said.faulty))
