"""Which links do something when they are followed? Those that end a session or delete, as their addresses tell.

A robot that is logged in may do what its account may: one link called `logout` ends the crawl, one called `delete`
costs a page (fault W18). So the words are looked for where they are commands and not what a page is about:

- a part of the path that is nothing else (`/user/5/delete`, `/logout.php`), or begins with it in mixed case
  (`/deletePage.do`); `/docs/how-to-delete-a-page` is a page;
- a name or a value in the query that is the word or begins with it (`?action=delete`, `&do=remove_user`);
- the end of a session also at the end of a part (`/wp-logout.php`, `/Special:UserLogout`).
"""

from __future__ import annotations

import re

from cormorant.model.url import unescaped

_SESSION = r"(?i:log[-_]?(?:out|off)|sign[-_]?(?:out|off)|abmelden|deconnexion)"
_LOSS = r"(?i:delete|remove|destroy|erase|purge|trash|revoke|unsubscribe|loeschen)"
_END = r"(?=[/?&=;]|$|\.\w{1,5}(?:[/?&;]|$))"
_ACTION = re.compile(
    rf"(?:[/?&=;:_.-]|(?<=[a-z])(?=[LS]))(?P<session>{_SESSION}){_END}"
    rf"|[/?&=;](?P<loss>{_LOSS})(?:{_END}|(?=[A-Z]))"
    rf"|[?&=;](?P<begun>{_LOSS})[-_]"
)


def action_in(address: str) -> str:
    """Return the word by which an address looks like an action, "" for one that does not."""
    found = _ACTION.search(address)
    if found is None and "%" in address:
        found = _ACTION.search(unescaped(address))
    return found[found.lastgroup or 0].lower() if found else ""
