"""Addresses of files and databases, and which parts must not be printed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, unquote_plus

from whichf1.errors import InputError
from whichf1.tables.records import dataclass

HIDDEN = "***"
LEAST = 5
"""The least length of a word that may be secret; shorter texts occur in any message."""
_START = re.compile(r"([A-Za-z][\w+.\-]+)(://|::)")
_NEXT = re.compile(r"::(?=[A-Za-z][\w+.\-]*://)")
"""Between the addresses of a chain, such as zip://a.csv::https://host/a.zip."""
_WEB = ("http", "https", "ftp")
_PAIRS = re.compile(
    r"(?is)(?=.*(^|[\s;])(password|passwd|pwd)\s*=)"
    r"(?=.*(^|[\s;])(host|hostaddr|user|uid|dbname|database|server|driver|service|port)\s*=)"
)
"""A connection string of names and values, one of which is a password."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address such as s3://bucket/part-*.csv or postgresql://user:password@host/database."""

    text: str

    @classmethod
    def of(cls, data: Any) -> Address | None:
        """The address, if this text starts like one."""
        if isinstance(data, str) and _START.match(data):
            return cls(data)
        if isinstance(data, (str, os.PathLike)) and _PAIRS.match(str(data)):
            raise InputError(
                "this is a connection string of names and values, with a password: pass an address "
                "such as postgresql://user:password@host/database, and name the rows with table= "
                "or query= (--table, --query)"
            )
        return None

    @property
    def scheme(self) -> str:
        """The part before the first colon, in lower case and without a driver."""
        return self.text.partition(":")[0].partition("+")[0].lower()

    @property
    def name(self) -> str:
        """The address without user, password and query, for messages and reports."""
        return "::".join(_Parts.of(part).shown for part in _NEXT.split(self.text))

    def without_secrets(self, message: str, options: Mapping[str, Any] | None = None) -> str:
        """A message of another library, without the secrets of this address and the options.

        Their words are hidden too, since a library may cut an address in the wrong place.
        """
        name, message = self.name, message.replace(self.text, self.name)
        secrets = {*_secrets(self.text), *_texts(options or {})}
        words = {word for secret in secrets for word in re.findall(r"\w+", secret)}
        hidden = {*secrets, *(word for word in words if len(word) >= LEAST and word not in name)}
        for secret in sorted(hidden - {"", name}, key=len, reverse=True):
            message = message.replace(secret, HIDDEN)
        return " ".join(message.split())


def shown_name(data: Any) -> str:
    """The name of a path or an address in a report."""
    address = Address.of(data)
    return str(data) if address is None else address.name


class _Parts(NamedTuple):
    """The parts of an address, or of one in a chain."""

    shown: str
    """What may be printed."""
    user: str
    """The user, and the password after a colon."""
    query: str
    """What comes after a question mark or a number sign."""

    @classmethod
    def of(cls, part: str) -> _Parts:
        """A password may have any character, so that all before the last @ belongs to it.

        If a query may start before that, nothing is certain, and nothing is shown.
        """
        scheme, mark, rest = part.partition("://")
        if not mark:
            scheme, rest = "", part
        web = scheme.lower() in _WEB
        host = re.split(r"[/?#]", rest, maxsplit=1)[0]
        port = re.fullmatch(r"[^@]*:\d*", host) is not None and web
        user = ""
        if ":" in host.partition("@")[0] and "@" in rest and not port:
            user, _, rest = rest.rpartition("@")
            if re.search("[?#].*=", user):
                return cls(f"{scheme}{mark}{HIDDEN}", user, rest)
        elif "@" in host:
            user = host.rpartition("@")[0]
            rest = rest[len(user) + 1 :]
        found = re.search(r"\?[^/]*=|#.*" if web else r"[?#][^/]*=", rest)
        at = found.start() if found else len(rest)
        return cls(f"{scheme}{mark}{rest[:at]}", user, rest[at + 1 :])


def _secrets(text: str) -> Iterator[str]:
    for part in _NEXT.split(text):
        parts = _Parts.of(part)
        name, colon, password = parts.user.partition(":")
        web = part.lower().startswith(tuple(f"{each}://" for each in _WEB))
        if not colon and web and len(name) >= LEAST:  # a token alone
            password = name
        yield parts.user if colon else ""
        for at in re.finditer("@|$", password):  # any of which may be its end
            text = password[: at.start()]
            yield from (text, unquote(text), unquote_plus(text))
        yield from (parts.query, unquote(parts.query))
        yield from (x for _, x in parse_qsl(parts.query) if len(x) >= LEAST)
        values = (each.partition("=")[2] for each in re.split("[&;#?]", parts.query))
        yield from (x for value in values for x in (value, unquote(value)) if len(x) >= LEAST)


def _texts(options: Any) -> Iterator[str]:
    """The texts in options of a library, which may be keys."""
    if isinstance(options, Mapping):
        options = [*options.values()]
    if isinstance(options, (list, tuple, set)):
        for value in options:
            yield from _texts(value)
    elif isinstance(options, str) and len(options) >= LEAST:
        yield options
