"""The memory of a library in a PostgreSQL server instead of its SQLite file: for processes on several machines.

The statements are those of SQLite; what differs is translated here.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from longtake.errors import ConfigError, LibraryError, LibraryUnavailable
from longtake.offline import refuse_other_machines

_WAIT = 15.0  # seconds for a connection
_WRITERS = 4417  # one transaction at a time writes, as in SQLite: the number of its lock in the server
_LOCK_WAIT = 30.0  # seconds for another process to finish writing
# A machine that lost its power or its network never says so. Both ends ask after 30 silent seconds and give the
# connection up after a minute; for the server, that also ends the transaction and frees its locks.
_KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
_SERVER_KEEPALIVES = """
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;
SET tcp_user_timeout = 60000;
"""
_PORT = "5432"
_NAMED = re.compile(r":([a-z_]+)")
_TYPES = {
    "INTEGER PRIMARY KEY AUTOINCREMENT": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "REAL": "DOUBLE PRECISION",
    "AS BLOB": "AS TEXT",  # SQLite may hold a text that isn't UTF-8
}


@dataclass(frozen=True)
class Postgres:
    """A database of a PostgreSQL server, by its URL, whose password no message repeats."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = self._parts()
        hosts, ports = parts["host"].split(","), str(parts["port"]).split(",")
        ports = ports if len(ports) == len(hosts) else ports * len(hosts)  # one port is that of all hosts
        named = (f"[{host}]" if ":" in host else host for host in hosts)
        places = ",".join(f"{host}:{port or _PORT}" for host, port in zip(named, ports, strict=False))
        return f"postgresql://{places}/{parts['dbname']}"

    def exists(self) -> bool:
        """True, as for an SQLite file that exists."""
        return True

    def _parts(self) -> Mapping[str, Any]:
        """What the URL consists of. Driver and messages must agree on it, or they could quote part of a password."""
        from psycopg.conninfo import conninfo_to_dict

        try:
            parts = {"host": "localhost", "port": _PORT, "dbname": "", **conninfo_to_dict(self.url)}
            ports = str(parts["port"]).split(",")  # one for each host; empty where the URL leaves it out
            valid = self.url.startswith(("postgresql://", "postgres://")) and all(
                port == "" or port.isdecimal() for port in ports
            )
        except Exception:  # noqa: BLE001 - it quotes the URL
            valid, parts = False, {}
        if not valid or "@" in f"{parts['host']}{parts['dbname']}":
            raise ConfigError(
                "library.database must be a URL such as postgresql://user:password@host/longtake, in which special "
                "characters of the password are written as %40 and the like."
            )
        return parts

    def _hosts(self) -> list[str]:
        """Hosts that the driver may connect to over the network: those of the URL, else those of its defaults."""
        from psycopg.conninfo import conninfo_to_dict
        from psycopg.pq import Conninfo

        defaults = {each.keyword.decode(): each.val.decode() for each in Conninfo.get_defaults() if each.val}
        given = defaults | conninfo_to_dict(self.url)
        named = [host for key in ("host", "hostaddr") for host in str(given.get(key) or "").split(",")]
        service = [f"the service {given['service']}"] if given.get("service") else []  # a file says where it is
        return [host for host in named if not host.startswith("/")] + service

    def pool(self) -> Any:
        """The connections of this process, a `psycopg_pool.ConnectionPool` that commits each statement.

        Raises:
            ConfigError: if the URL can't be used, the network is forbidden and the server is on another machine, or
                the extra `postgres` is missing.
            LibraryUnavailable: if the server can't be reached or refuses.
        """
        with self.told("memory"):
            self._parts()
            refuse_other_machines("the database", self._hosts())
            return _pool(self.url)

    @contextmanager
    def session(self, what: str) -> Iterator[PostgresSession]:
        """A transaction, which is committed when the block ends, unless the block raises.

        Args:
            what: what is read or written, in the plural, for error messages.

        Raises:
            LibraryUnavailable: if the server can't be used.
        """
        pool = self.pool()
        with self.told(what), pool.connection() as connection, connection.transaction():
            yield PostgresSession(connection)

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        """Raise what the server refuses as `LibraryError`, and a server that is down as `LibraryUnavailable`.

        Raises:
            ConfigError: if the extra `postgres` is missing.
        """
        try:
            import psycopg
        except ImportError as error:
            raise ConfigError(
                "library.database needs the extra `postgres`: pip install 'longtake[postgres]'."
            ) from error
        try:
            yield
        except psycopg.Error as error:
            reason = " ".join(str(error).split())[:300]
            away = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
            advice = "see that the server runs, has this database and lets this user in"
            if isinstance(error, psycopg.errors.LockNotAvailable):
                advice = "another process is still writing, so try again in a moment"
            raise (LibraryUnavailable if away else LibraryError)(
                f"Couldn't use the {what} in {self} ({reason}): {advice}."
            ) from error


class PostgresSession:
    """A transaction that takes statements in SQLite's dialect."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def write(self, tables: str) -> None:
        """Become the only writer until the transaction ends, and create missing tables."""
        self._connection.execute(f"SET LOCAL lock_timeout = '{round(1000 * _LOCK_WAIT)}ms'")
        self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_WRITERS,))
        self._connection.execute(_translated(tables))

    def has(self, table: str) -> bool:
        """Whether a table exists."""
        [found] = self._connection.execute("SELECT to_regclass(%s)", (table,)).fetchone()
        return found is not None

    def execute(self, statement: str, values: Any = (), /) -> Any:
        """Run a statement with `?` or `:name` in it, and return its cursor."""
        return self._connection.execute(_translated(statement), values)


def _translated(statement: str) -> str:
    for ours, theirs in _TYPES.items():
        statement = statement.replace(ours, theirs)
    return _NAMED.sub(r"%(\1)s", statement).replace("?", "%s")


@cache
def _pool(url: str) -> Any:
    import psycopg
    from psycopg_pool import ConnectionPool

    psycopg.connect(url, connect_timeout=int(_WAIT)).close()  # says what is wrong; a pool only waits
    pool = ConnectionPool(
        url,
        kwargs={"autocommit": True, "prepare_threshold": None, **_KEEPALIVES},
        configure=_watch,
        min_size=1,
        max_size=8,
        timeout=_WAIT,
        open=True,
        check=ConnectionPool.check_connection,
    )
    atexit.register(pool.close)
    return pool


def _watch(connection: Any) -> None:
    connection.execute(_SERVER_KEEPALIVES)
