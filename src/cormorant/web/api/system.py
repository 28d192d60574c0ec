"""REST routes of the whole installation, like `cormorant status`, `cormorant provider` and `cormorant token`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response

from cormorant.model.scope import Scope
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.records.system import DeletedToken, Deliveries, MadeToken, System, Token, Tokens
from cormorant.operate.system import status, tokens
from cormorant.web.api import requests
from cormorant.web.api.routing import Json, as_lines, in_lines, order, route

Name = Annotated[str, Path(examples=["ada"])]


def add(router: APIRouter, house: Installation) -> None:
    """The routes."""

    @route(router, "/system", Scope.OPERATE, System)
    def show_system() -> Response:
        """Show the state of everything: sources and their last good run, held runs, deliveries, disks, processes."""
        return Json(status.status(house))

    @order(router, "POST", "/provider/pause", Scope.OPERATE, Deliveries)
    def pause_deliveries() -> Response:
        """Pause deliveries to the index and all receivers. Events wait, and crawling goes on."""
        receivers.set_paused(house, paused=True)
        return Json({"paused": True})

    @order(router, "POST", "/provider/resume", Scope.OPERATE, Deliveries)
    def resume_deliveries() -> Response:
        """Resume deliveries where they stopped."""
        receivers.set_paused(house, paused=False)
        return Json({"paused": False})


def add_tokens(router: APIRouter, house: Installation) -> None:
    """Add the routes of tokens. All need the scope `admin`, since a token that creates tokens opens everything."""

    @route(router, "/tokens", Scope.ADMIN, Tokens, Token)
    def list_tokens(request: Request) -> Response:
        """List the tokens, the scope of each, when it was made and last used; never a value."""
        found = tokens.listed(house)
        return in_lines(found) if as_lines(request) else Json({"tokens": found})

    @order(router, "POST", "/tokens", Scope.ADMIN, MadeToken, 201)
    def add_token(said: requests.NewToken) -> Response:
        """Create a token. Its `value` is in this answer only, since only its hash is stored."""
        return Json(tokens.add(house, said.token, said.scope), 201)

    @order(router, "PATCH", "/tokens/{name}", Scope.ADMIN, Token)
    def edit_token(name: Name, said: requests.EditToken) -> Response:
        """Give a token another scope, which takes effect with the next request."""
        return Json(tokens.edit(house, name, said.scope))

    @order(router, "DELETE", "/tokens/{name}", Scope.ADMIN, DeletedToken)
    def delete_token(name: Name) -> Response:
        """Delete a token, which takes effect with the next request."""
        tokens.delete(house, name)
        return Json({"token": name, "deleted": True})
