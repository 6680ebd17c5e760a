"""Addresses of files and databases, and which parts must not be printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, unquote_plus

from whichf1.tables.records import dataclass

HIDDEN = "***"
LEAST = 5
"""The least length of a query value that may be secret; shorter texts occur in any message."""
_START = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+)(://|::)")


@dataclass(frozen=True, slots=True)
class Address:
    """An address such as s3://bucket/part-*.csv or postgresql://user:password@host/database."""

    text: str

    @classmethod
    def of(cls, data: Any) -> Address | None:
        """The address, if this text starts like one."""
        return cls(data) if isinstance(data, str) and _START.match(data) else None

    @property
    def scheme(self) -> str:
        """The part before the first colon, in lower case and without a driver."""
        return self.text.partition(":")[0].partition("+")[0].lower()

    @property
    def name(self) -> str:
        """The address without user, password and query, for messages and reports."""
        return "::".join(_open(part)[0] for part in self.text.split("::"))

    def without_secrets(self, message: str, options: Mapping[str, Any] | None = None) -> str:
        """A message of another library, without the secrets of this address and the options."""
        hidden = {*_secrets(self.text), *_texts(options or {})} - {"", self.name}
        message = message.replace(self.text, self.name)
        for secret in sorted(hidden, key=len, reverse=True):
            message = message.replace(secret, HIDDEN)
        return " ".join(message.split())


def shown_name(data: Any) -> str:
    """The name of a path or an address in a report."""
    address = Address.of(data)
    return str(data) if address is None else address.name


def _open(part: str) -> tuple[str, str, str]:
    """The part of an address that may be shown; its user and password; its query."""
    scheme, mark, rest = part.rpartition("://")
    rest, _, query = rest.partition("?") if re.search(r"\?[^/]*=", rest) else (rest, "", "")
    rest = rest.partition("#")[0] if mark and scheme.lower() in ("http", "https") else rest
    host, slash, path = rest.partition("/")
    user, at, host = host.rpartition("@")
    if not at and ":" in host and "@" in path:  # a password with a slash
        before, _, path = path.rpartition("@")
        user, host, slash = f"{host}/{before}", "", ""
    return f"{scheme}{mark}{host}{slash}{path}", user, query


def _secrets(text: str) -> Iterator[str]:
    for part in text.split("::"):
        _, user, query = _open(part)
        password = user.partition(":")[2]
        yield from (user if ":" in user else "", password, unquote(password))
        yield unquote_plus(password)
        yield query
        yield from (x for _, x in parse_qsl(query) if len(x) >= LEAST)
        yield from (x for each in query.split("&") if len(x := each.partition("=")[2]) >= LEAST)


def _texts(options: Any) -> Iterator[str]:
    """The texts in options of a library, which may be keys."""
    if isinstance(options, Mapping):
        for value in options.values():
            yield from _texts(value)
    elif isinstance(options, str) and len(options) >= LEAST:
        yield options
