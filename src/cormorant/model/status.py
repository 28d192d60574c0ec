"""The table of status numbers: the results of visits, with cause and advice.

Numbers below 600 are HTTP's (RFC 9110 section 15; 429: RFC 6585; 451: RFC 7725). 902 to 964 and those from 1001 keep
the meaning they have had in enterprise search crawlers for twenty years, so that the habits and scripts of
administrators keep working; 951 is narrowed to collections. 970 to 988 are this system's own. Only 200 is ever indexed.

Each row has a description, the cause, and advice; `describe` finds a row for any number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType

from cormorant.model.outcome import OutcomeKind as Kind


class Status(IntEnum):
    """The numbers of the table, by name."""

    ENQUEUED = 0
    OK = 200
    NOT_MODIFIED = 304
    BAD_REQUEST = 400
    UNAUTHORIZED = 401
    PAYMENT_REQUIRED = 402
    FORBIDDEN = 403
    NOT_FOUND = 404
    METHOD_NOT_ALLOWED = 405
    NOT_ACCEPTABLE = 406
    PROXY_UNAUTHORIZED = 407
    REQUEST_TIMEOUT = 408
    CONFLICT = 409
    GONE = 410
    ADDRESS_TOO_LONG = 414
    TOO_MANY_REQUESTS = 429
    LEGAL_REASONS = 451
    SERVER_ERROR = 500
    NOT_IMPLEMENTED = 501
    BAD_GATEWAY = 502
    SERVICE_UNAVAILABLE = 503
    GATEWAY_TIMEOUT = 504
    VERSION_NOT_SUPPORTED = 505
    READ_TIMEOUT = 902
    CONVERSION_FAILED = 903
    OUT_OF_MEMORY = 904
    IO_ERROR = 905
    CONNECTION_REFUSED = 906
    BIND_ERROR = 907
    NO_CONVERTER = 908
    DUPLICATE_FOUND = 909
    DUPLICATE_IGNORED = 910
    EMPTY = 911
    COLLECTION = 951
    CRAWLED = 952
    META_REDIRECT = 953
    HTTP_REDIRECT = 954
    BLACKLISTED = 955
    NOT_UNIQUE = 956
    SENTRY = 957
    UNREADABLE = 958
    LOGIN_FAILED = 959
    TOO_BIG = 960
    TYPE_EXCLUDED = 962
    OUTSIDE_BOUNDARY = 964
    ROBOTS = 970
    NOINDEX = 971
    TOO_DEEP = 972
    INDEX_RULES = 973
    FORBIDDEN_NETWORK = 974
    NAME_NOT_RESOLVED = 975
    TLS = 976
    REDIRECT_LOOP = 977
    SOFT_NOT_FOUND = 978
    TRAP = 979
    HELD = 980
    QUARANTINED = 981
    VETOED = 982
    NOFOLLOW_ONLY = 983
    UNSETTLED = 984
    PROXY = 985
    TAKEN_DOWN = 986
    TIKA = 987
    SERVICE_FAILED = 988
    NOT_HTML = 1001
    BROKEN_STREAM = 1002
    REDIRECT_TARGET_MISSING = 1003
    BAD_RELATIVE_ADDRESS = 1004
    PROTOCOL_ERROR = 1005
    BAD_HEADER = 1006
    BAD_COLUMN = 1007
    NO_DRIVER = 1008
    BINARY_AS_TEXT = 1009
    BAD_DISPLAY_ADDRESS = 1010
    BAD_PORTAL_XML = 1011
    UNREACHABLE_1 = 1020
    UNREACHABLE_2 = 1021
    UNREACHABLE_3 = 1022
    UNREACHABLE_4 = 1023
    UNREACHABLE_5 = 1024
    LEFT_OVER = 1111


@dataclass(frozen=True, slots=True)
class StatusText:
    """One status for an administrator: description, cause and advice.

    `outcome` is the usual outcome of a visit with this number; the visit itself decides. A `reserved` number is listed
    because older systems used it; no visit gets it.
    """

    number: int
    text: str
    cause: str
    advice: str
    outcome: Kind
    reserved: bool = False


# Three lines a status: number, outcome and text; cause; advice. A backslash has a line go on.
_TABLE = """
0 none Waiting for its first visit
  It was found and stands in the queue; nobody has asked for it yet.
  Start a crawl of its source.
200 ok Fetched and fit for the index
  The source delivered it; this is the only status that is indexed.
  Nothing to do.
304 unchanged Not modified since the last visit
  The source says that nothing is new, so the kept copy stands and the document keeps its status, 200.
  Nothing to do; crawl with --force to fetch it again all the same.
400 failed Bad request
  The server could not make sense of the address or of a header.
  Open the address in a browser; if it works there, the server may want another user_agent.
401 failed Authorization required
  The server wants a user name and password.
  Set credentials of the source for this address, or look at those it has with `cormorant source test`.
402 failed Payment required
  The server asks for money before it delivers.
  Exclude the address.
403 failed Access forbidden
  The server, or the file system, does not let this crawler read it.
  Grant the crawler's account the right to read it (for a site: that of its credentials), or exclude the address.
404 gone Not found
  The source has nothing at this address any more.
  Nothing to do if it was removed on purpose; otherwise mend the links to it, which `cormorant document links` lists.
405 failed Method not allowed
  The server does not answer a plain GET here, so this is a place for forms or programs.
  Exclude the address.
406 failed Not acceptable
  The server has no form of it in the types or languages that were asked for.
  Tell the owner of the server, or exclude the address.
407 deferred Proxy authentication required
  A proxy on the way wants a user name and password.
  Set proxy_login of the source, or name the site in its proxy_exceptions.
408 deferred The server stopped waiting for the request
  The server was too slow or too busy to take the request.
  Wait for the next try; if it stays, raise delay_s of the source.
409 failed Conflict
  The server says that the resource is in a state that forbids reading.
  Ask the owner of the server; exclude the address if it is not meant to be read.
410 gone Gone for good
  The source says that it was removed on purpose.
  Nothing to do.
414 excluded Address too long
  The address is longer than this crawler or the file system takes; where a server says so, the visit has failed.
  Exclude the pattern that makes it grow, which is mostly a trap.
429 deferred Too many requests
  The server asks for a slower pace, so the whole site is given time.
  Raise delay_s of the source, or ask the owner of the site for a higher limit.
451 failed Unavailable for legal reasons
  The server may not deliver it here.
  Exclude the address.
500 deferred Internal server error
  The server failed while it made the answer.
  Wait for the next try; if it stays, tell the owner of the server.
501 failed Not implemented
  The server does not know how to answer this request.
  Tell the owner of the server, or exclude the address.
502 deferred Bad gateway
  A server in between had no proper answer from the one behind it.
  Wait for the next try; if it stays, tell the owner of the server.
503 deferred Service unavailable
  The server is overloaded or being maintained, so the whole site is given time.
  Wait for the next try; raise delay_s if the crawl itself is the load.
504 deferred Gateway timeout
  A server in between waited in vain for the one behind it.
  Wait for the next try; if it stays, tell the owner of the server.
505 failed HTTP version not supported
  The server does not speak the version of HTTP it was asked in.
  Tell the owner of the server; a proxy in between may help.
902 deferred Timeout while reading
  The document did not arrive in the time it was given.
  Raise timeout_s or idle_timeout_s of the source if the document is large or its server slow.
903 failed Conversion failed
  The converter could not read this file, which is damaged, encrypted or of another format than it says.
  Open the file in its own program and save it again, or exclude it.
904 failed Out of memory or descriptors
  Reading the document needed more memory or open files than there were.
  Give the machine more, or lower retrievers and max_size_bytes.
905 failed Input or output error
  Reading failed on the way, in the network, on the share or on the disk.
  Look at the reason given; check the disk or the mount that holds it.
906 deferred Connection refused
  No program listens at this host and port, or a firewall says no.
  Check that the server runs and that its port can be reached from this machine.
907 deferred No free local port or address
  The machine had no local port left for another connection.
  Lower per_host, or widen the system's range of local ports.
908 failed No converter for this type
  Nothing installed can read this type of file.
  Save it as a type that can be read, have Apache Tika read it (setting tika), or exclude the type.
909 excluded Duplicate of another document
  Another document has the same content, and both are kept as one class.
  Nothing to do; search with --all to see every member of the class.
910 excluded Duplicate, the other address is shown
  Its content, or its canonical link, names another document of this source, which is in the index.
  Nothing to do; if addresses repeat without end, exclude the part that varies.
911 failed Empty document
  It had text and is empty now, or its server says that all is well but sends no document.
  Look whether that is meant: a document that the next crawl finds empty too is taken for it, and found by its name.
951 excluded A collection, not a document
  It is a folder or listing that only leads to documents.
  Nothing to do.
952 ok Crawled, not delivered
  It was fetched and read, but this run does not deliver it.
  Nothing to do.
953 moved Moved by a page's refresh
  The page sends its readers on to another address, which was judged on its own.
  Nothing to do; set links to the new address when you can.
954 moved Moved to another address
  The server sends readers on to another address, which was judged on its own.
  Nothing to do; if the target is missing, check that it lies inside the boundary.
955 excluded On the list of unwanted addresses
  An administrator deleted this address and said that it must not come back.
  Nothing to do.
956 excluded Shown under an address already taken
  Two documents of this source would be shown under one display address.
  Change display_prefix so that they differ.
957 none Reserved
  Older systems kept place holders under this number; nothing here gives it.
  Nothing to do.
958 failed Document cannot be read
  It was reached but its bytes could not be read.
  Look at the reason given and at the rights on the document.
959 failed Form login failed
  The login form refused the values it was given, or did not look as expected.
  Exclude the address, since this version fills in no forms.
960 excluded Too big
  It has more bytes than max_size_bytes allows.
  Raise max_size_bytes, or set too_big to cut to index its beginning.
962 excluded Type not included
  Its type is not among those that the source takes.
  Add the type to the setting types if you want it.
964 excluded Outside the boundary
  An exclude rule names it, or no include rule does.
  Look at the rule shown; `cormorant source edit --preview` tells what a change would let in.
970 excluded Forbidden by robots.txt
  The site's robots.txt has a rule against this address for our product token.
  Ask the owner of the site to let it in; if that is you, change its robots.txt, which is kept for a day unless \
`cormorant crawl --force` fetches it again, or set robots of the source to ignore.
971 excluded The page asks not to be indexed
  Its robots meta tag or X-Robots-Tag header says noindex, or its time there has run out.
  Ask the page's author if it should be found.
972 excluded Beyond the depth
  It lies more steps from the start than depth allows.
  Raise depth, or add a start address nearer to it.
973 excluded Excluded by index rules
  Its links are followed, but index_exclude names it or index_include does not.
  Change the index rules if it should be found.
974 excluded Forbidden network
  The host's address is of a class that this source has no leave to connect to.
  If the host is yours, add its class or range to the setting network.
975 deferred Host name not resolved
  The name service does not know the host, or does not answer.
  Check the spelling of the host and the machine's name servers.
976 failed No trusted encrypted connection
  The certificate is expired, for another host or by an unknown authority, or no cipher is shared.
  Have the certificate renewed, or name the authority that signed it in the ca of the source.
977 failed Redirect loop, or too many redirects
  The server sends readers in a circle or through too many addresses.
  Open the address in a browser; sites that loop often want a cookie or a login.
978 excluded Answers 200, but says 'not found'
  The page says what the site says for an address that does not exist; one that was found goes the second time.
  Mend the links to it; if it is meant to be found, set missing_pages to believe.
979 excluded Stopped as a trap, or over budget
  The address belongs to a pattern that goes on without end, or a limit of the source was reached.
  Raise the limit that the reason names, or exclude the pattern.
980 held Held until a person decides
  Too much would be removed or overwritten at once, or a login page came instead, so all stays as it was.
  Answer a held run with `cormorant run accept` or `run refuse`; for a login page mend the credentials of the source.
981 quarantined In quarantine
  Reading it killed or froze the converter, so it is left alone until it or the converter changes.
  Exclude it, or crawl its source with --force after an upgrade.
982 excluded Vetoed by a plug-in
  A part that was added to this system said no.
  Look at the reason given.
983 excluded Known only through nofollow links
  Every link to it asks not to be followed.
  Add it as a start address if you want it.
984 deferred Leave to connect could not be looked up
  The database of this installation did not say at which addresses the host was first.
  Look whether the database answers, with `cormorant doctor`; the crawl tries the address again.
985 deferred No way through the proxy
  The proxy of the source does not answer, or does not let requests through to the site.
  Mend the proxy that the reason names, or change proxy and proxy_exceptions of the source.
986 excluded Taken down
  A person had it hidden from every reader; it is neither visited nor found as long as the takedown lasts.
  See by whom and why with `cormorant takedown list`; `cormorant takedown lift ID` ends it.
987 deferred Not read by the Tika server
  The server of the setting tika did not answer, was busy, or did not bring this document to its end.
  Look whether it runs with `cormorant doctor`; the crawl tries the document again, and what was found before stays.
988 failed A document service failed
  A service that the setting services of the source names did not bring this document to its end.
  Look at the reason given; mend the service, or let it be left out with its parameter on_failure=keep.
1001 excluded Not text or HTML
  Its bytes are of a type that nothing here reads: a picture, sound, film or program.
  Exclude the type if it is not wanted; if it is a text, have the server declare its true type.
1002 deferred Connection broke off
  The connection ended before the document did.
  Wait for the next try; if it stays, look at proxies and firewalls in between.
1003 failed Redirect without a target
  The server sends readers on but does not say where to.
  Tell the owner of the server.
1004 failed Link cannot be resolved
  Put together with the page's address, the link makes no address.
  Mend the link or the page's base address.
1005 failed HTTP error
  The answer breaks the rules of HTTP, such as a 304, a 206 or a content coding that nobody asked for.
  Tell the owner of the server; look for a faulty cache in between.
1006 failed HTTP header cannot be parsed
  The head of the answer is malformed or too large.
  Tell the owner of the server.
1007 none Reserved
  Older systems named a bad column of their table so; nothing here gives it.
  Nothing to do.
1008 none Reserved
  Older systems named a missing database driver so; nothing here gives it.
  Nothing to do.
1009 failed Binary bytes declared as text
  It was announced as text but its bytes are binary.
  Have the server declare its true type.
1010 failed Bad display address
  The address to be shown to readers cannot be parsed.
  Mend display_prefix of the source.
1011 none Reserved
  Older systems named bad XML of a portal server so; nothing here gives it.
  Nothing to do.
1020 deferred Unreachable, first run
  The last crawl could not reach it; the kept copy is still found.
  Check that its server can be reached; it is removed after five such runs.
1021 deferred Unreachable, second run
  Two crawls in a row could not reach it; the kept copy is still found.
  Check that its server can be reached; it is removed after five such runs.
1022 deferred Unreachable, third run
  Three crawls in a row could not reach it; the kept copy is still found.
  Check that its server can be reached; it is removed after five such runs.
1023 deferred Unreachable, fourth run
  Four crawls in a row could not reach it; the next failure removes it.
  Check that its server can be reached before the next crawl.
1024 gone Unreachable, fifth run: removed
  Five crawls in a row could not reach it.
  Bring its server back; the next crawl that finds it takes it in again.
1111 deferred Still queued after the run
  The run ended, well or by its limits, before this address was settled.
  Start the crawl again.
"""

_RESERVED = frozenset((Status.SENTRY, Status.BAD_COLUMN, Status.NO_DRIVER, Status.BAD_PORTAL_XML))

_CLASSES = {
    1: (Kind.FAILED, "Interim answer", "The server began to answer and never said more."),
    2: (Kind.FAILED, "Answered without a document", "The server says all is well but sends no document."),
    3: (Kind.FAILED, "Unusual redirect", "The server sends readers on in a way that is not known."),
    4: (Kind.FAILED, "Refused by the server", "The server says that the request is at fault."),
    5: (Kind.DEFERRED, "Server failure", "The server says that it failed."),
}


def _read(table: str) -> Mapping[int, StatusText]:
    """Parse the rows of the text above."""
    rows = {}
    lines = iter(table.strip().splitlines())
    for first, cause, advice in zip(lines, lines, lines, strict=True):
        number, kind, text = first.split(" ", 2)
        status = Status(int(number))
        outcome = Kind[kind.upper()]
        rows[int(status)] = StatusText(int(status), text, cause.strip(), advice.strip(), outcome, status in _RESERVED)
    return MappingProxyType(rows)


TABLE: Mapping[int, StatusText] = _read(_TABLE)
"""Every status with a row, by its number, in order."""


def describe(number: int) -> StatusText:
    """Return the row of a status. A number without a row gets the sentence of its class (RFC 9110 section 15)."""
    row = TABLE.get(number)
    if row is not None:
        return row
    kind, text, cause = _CLASSES.get(number // 100, (Kind.FAILED, "Unknown status", "No part of this system gives it."))
    advice = "Open the address in a browser; tell the owner of the server, or exclude the address."
    return StatusText(number, f"{text} ({number})", cause, advice, kind)


def is_known(number: int) -> bool:
    """Return whether a visit can end with this number: it has a row, or is an HTTP status."""
    return number in TABLE or 100 <= number < 600
