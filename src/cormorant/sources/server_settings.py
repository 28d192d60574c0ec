"""Settings of every kind of source that asks one server, whatever the protocol: its pace, its limits, the way to it."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from pydantic import Field, field_validator

from cormorant.model.pace import Pace
from cormorant.model.settings.bounded import Delay, Timeout
from cormorant.model.settings.politeness import PacingSettings
from cormorant.net.egress.policy import AddressClass, Consent, classify

PARALLEL = 4
"""Requests under way at once to a server of the organisation's own."""
MOST_PARALLEL = 64
"""The most that settings may ask for."""
_INSIDE = (AddressClass.PRIVATE, AddressClass.ULA, AddressClass.LOOPBACK)


def is_inside_host(host: str, network: Iterable[str]) -> bool:
    """Return whether nobody outside the organisation is on the way to a host, so that a login may go in clear.

    Its address says so, or the words of the setting `network` do. Shared address space (100.64.0.0/10) belongs to a
    provider and is carried by it (RFC 6598 section 1), so that it counts as outside, unlike for the consent to connect;
    the same holds for a name, whose address is not known here.
    """
    bare = host.strip("[]")
    if bare == "localhost" or {"private", "loopback"}.intersection(each.strip().lower() for each in network):
        return True
    try:
        return classify(bare) in _INSIDE
    except ValueError:
        return False


def see_inner(host: str, network: Iterable[str], login: str, setting: str = "the url") -> None:
    """Raise ValueError where a login over http would leave the inside, and anybody on the way could read it."""
    if not is_inside_host(host, network):
        raise ValueError(
            f"Over http {login} could be read on the way: write {setting} with https, or, for a server inside, set "
            "network=private."
        )


class PacedSettings(PacingSettings):
    """Settings of a source whose documents come from one place that has a pace."""

    AT_ONCE = PacingSettings.AT_ONCE | {"delay_s", "per_host"}

    delay_s: Delay = Field(default=0.0, description="Seconds from the start of one request to the start of the next.")
    per_host: int = Field(default=PARALLEL, ge=1, le=MOST_PARALLEL, description="Requests under way at once.")

    @classmethod
    def unused_names(cls) -> frozenset[str]:
        """All of it is at one place."""
        return super().unused_names() | {"hosts_at_once"}

    def pace(self, now: float) -> Pace:
        """Return the pace of this hour: a window of `variable_delay` takes the place of `delay_s` while it lasts."""
        hour = self.calendar.at(now)
        if hour.window is None or hour.window.delay_s == inf:
            return Pace(self.delay_s, self.per_host, f"delay_s {self.delay_s:g}", hour.until)
        return Pace(hour.window.delay_s, self.per_host, f"variable_delay {hour.window.text!r}", hour.until)


class TimedSettings(PacedSettings):
    """Settings of a source whose place may keep a visit waiting."""

    AT_ONCE = PacedSettings.AT_ONCE | {"timeout_s"}

    timeout_s: Timeout = Field(default=300.0, description="Seconds that one document may take.")

    @property
    def visit_s(self) -> float:
        """The longest that one visit may take."""
        return self.timeout_s


class ServerSettings(TimedSettings):
    """Settings of a source whose documents come from one server, to which a connection is made."""

    AT_ONCE = TimedSettings.AT_ONCE | {"connect_timeout_s"}

    connect_timeout_s: Timeout = Field(default=10.0, description="Seconds until the server has to answer at first.")
    network: tuple[str, ...] = Field(
        default=(),
        description=(
            "Further networks besides the host that the settings name: public, private, loopback or ranges like "
            "10.0.0.0/8; may repeat."
        ),
    )

    @field_validator("network")
    @classmethod
    def _networks(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse words that name no network."""
        Consent.of((), words)
        return words

    def consent(self, host: str, port: int) -> Consent:
        """Return the consent to connect to the server that the settings name; make it once for each source."""
        return Consent.of(((host, port),), self.network)

    def is_inside_host(self, host: str) -> bool:
        """Return whether a login may go to a host in clear, by its address or `network`."""
        return is_inside_host(host, self.network)

    def see_inner(self, host: str, login: str) -> None:
        """Raise ValueError where a login over http would leave the inside, and anybody on the way could read it."""
        see_inner(host, self.network, login)
