"""The scope that each route needs, declared beside it, and the scope of the visitor.

    needs(SCOPE), a dependency of a route --Policy.of--> rules: methods, path -> scope
                                                            |--> authentication, before routing
                                                            |--> links: a page shows those that its visitor may follow
                                                            `--> OpenAPI and the reference page made of it

A route without a declared scope is closed to everybody: authentication refuses it, and a test fails. The dependency
checks the scope again when the route is about to answer, in case the router chooses another route than the rules.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, NamedTuple, TypeVar

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.routing import Mount, RouteContext, iter_route_contexts

from cormorant.base.errors import NotSignedIn, ScopeTooNarrow
from cormorant.model.scope import PUBLIC, Scope, covers
from cormorant.web.security.request_guard import Application

PASSED_ON = frozenset(("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"))
"""Header fields by which a proxy declares that it forwards a request."""
_VISITOR = "cormorant.visitor"
_ANYTHING = re.compile("")
_Page = TypeVar("_Page", bound=Callable[..., Any])


class Audience(Enum):
    """Audience that reaches the pages.

    LOCAL: this machine only; its user is the administrator and needs no token. PUBLIC: other machines, which search
    without a token. PRIVATE: other machines, which need a token for search too.
    """

    LOCAL = "local"
    PUBLIC = "public"
    PRIVATE = "private"


class AuthMethod(StrEnum):
    """Authentication method of a visitor."""

    ANONYMOUS = "anonymous"
    SIGNED_IN = "signed in"
    LOCAL = "local"


class RouteRule(NamedTuple):
    """Route rule with the scope that it needs; `methods` None answers all, `declared` False answers nobody."""

    methods: frozenset[str] | None
    pattern: re.Pattern[str]
    path: str
    needs: Scope | None
    declared: bool

    def answers(self, method: str, path: str) -> bool:
        """Return whether the route takes such a request."""
        return (self.methods is None or method in self.methods) and self.pattern.match(path) is not None


class Policy:
    """The rules of an application, in the order in which its router tries them."""

    def __init__(self, rules: Sequence[RouteRule] = ()) -> None:
        self.rules = tuple(rules)

    @classmethod
    def of(cls, app: FastAPI) -> Policy:
        """Read the declarations of an application's routes, those of included routers too."""
        return cls([_rule(each) for each in iter_route_contexts(app.routes)])

    def rule(self, method: str, path: str) -> RouteRule | None:
        """The rule of the route that takes such a request; None for no route, and for one without a declared scope."""
        found = next((each for each in self.rules if each.answers(method, path)), None)
        return found if found is not None and found.declared else None

    def methods(self, path: str) -> list[str]:
        """The methods that routes with a declared scope take at this path."""
        found = (each.methods or () for each in self.rules if each.declared and each.pattern.match(path))
        return sorted(set[str]().union(*found))


NO_RULES = Policy()


@dataclass(frozen=True, slots=True)
class Visitor:
    """Visitor: how it is authenticated, its scope (None: none at all), and the rules that hold here."""

    way: AuthMethod = AuthMethod.ANONYMOUS
    scope: Scope | None = None
    policy: Policy = NO_RULES
    token: str = ""

    @property
    def author(self) -> str:
        """Author of a change: the name of the token, or this machine."""
        return f"token {self.token}" if self.token else "a browser or program on this machine"

    @property
    def operates(self) -> bool:
        """Return whether the visitor may see documents and sources that readers may not see."""
        return covers(self.scope, Scope.OPERATE)

    def may(self, path: str, method: str = "GET") -> bool:
        """Return whether the visitor may request this; a page links to nothing else."""
        rule = self.policy.rule(method, path)
        return rule is not None and covers(self.scope, rule.needs)

    def refusal(self, needed: Scope) -> Exception:
        """The error for a request that needs another scope."""
        if self.way is AuthMethod.ANONYMOUS:
            return NotSignedIn("This needs a token: send it as `Authorization: Bearer TOKEN`.")
        if self.scope is None or self.way is AuthMethod.LOCAL:
            return HTTPException(403)
        sentence = (
            f"This needs a token of scope `{needed}`; yours is of scope `{self.scope}`. Use another one, or have an "
            f"administrator widen it: `cormorant token edit NAME --scope {needed}`."
        )
        return ScopeTooNarrow(sentence, scope_needed=needed.value, scope_given=self.scope.value)


NOBODY = Visitor()


class Needs:
    """The scope that a route needs, as a dependency of it."""

    def __init__(self, scope: Scope | None) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> None:
        """Let the request in. Raises NotSignedIn, ScopeTooNarrow, or HTTPException for a stranger behind a proxy."""
        demand(request, self.scope)


class DeclaredMount(Mount):
    """A mounted application with the scope of all its paths. Only GET is passed on."""

    def __init__(self, path: str, app: Application, needs: Scope | None) -> None:
        super().__init__(path, app)
        self.needs = needs


def needs(scope: Scope | None) -> Any:
    """Declare the scope of a route: `dependencies=[needs(Scope.OPERATE)]`."""
    return Depends(Needs(scope))


def page(router: APIRouter | FastAPI, path: str, scope: Scope | None, method: str = "GET") -> Callable[[_Page], _Page]:
    """A page for people, or the target of a form, with the scope that it needs."""
    return router.api_route(path, methods=[method], include_in_schema=False, dependencies=[needs(scope)])


def demand(request: Request, scope: Scope | None) -> None:
    """Raise the error for a visitor without this scope: for requests of which a part needs a wider scope."""
    asks = visitor(request)
    if scope is not PUBLIC and not covers(asks.scope, scope):
        raise asks.refusal(scope)


def know(request: Request, known: Visitor) -> None:
    """Record the visitor in the request."""
    request.scope[_VISITOR] = known


def visitor(request: Request) -> Visitor:
    """Return the visitor of a request; NOBODY if no middleware has recorded one."""
    found = request.scope.get(_VISITOR)
    return found if isinstance(found, Visitor) else NOBODY


def is_admitted(request: Request) -> bool:
    """Say whether the visitor may see documents that are hidden from readers."""
    known = visitor(request)
    rule = known.policy.rule(request.method, request.scope["path"])
    return rule is not None and not covers(Scope.SEARCH, rule.needs) and covers(known.scope, rule.needs)


def local_scope(request: Request) -> Scope:
    """The scope of a visitor if only this machine reaches the pages.

    A request to a loopback address without header fields of a proxy comes from the user of the machine, who is its
    administrator. A proxy that is not configured forwards requests of others, who are readers.
    """
    host, *_ = request.scope.get("server") or ("",)
    at_home = _is_loopback(str(host)) and PASSED_ON.isdisjoint(request.headers.keys())
    return Scope.ADMIN if at_home else Scope.SEARCH


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _rule(context: RouteContext) -> RouteRule:
    """The rule of a route; of several declarations the widest scope counts."""
    pattern = getattr(context, "path_regex", None) or _ANYTHING
    methods, path = context.methods, str(context.path_format or context.path)
    if isinstance(context.original_route, DeclaredMount):
        return RouteRule(frozenset(("GET",)), pattern, path, context.original_route.needs, declared=True)
    asked = [each.dependency for each in getattr(context, "dependencies", ())]
    found = [each.scope for each in asked if isinstance(each, Needs)]
    most = next((each for each in found if all(covers(each, other) for other in found)), PUBLIC)
    return RouteRule(frozenset(methods) if methods else None, pattern, path, most, declared=bool(found))
