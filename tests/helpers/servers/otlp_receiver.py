"""An OTLP receiver on loopback that decodes what it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpers.servers.loopback import Handler, listening
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Receiver:
    """Where it listens, and what it was sent."""

    url: str
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        return spans_in(self.requests[-1])


def spans_in(request: Any) -> list[Span]:
    return [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]


def attributes_of(span: Span) -> dict[str, Any]:
    """The attributes as plain values."""
    return {each.key: _value(each.value) for each in span.attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    found = getattr(value, kind)
    return [_value(each) for each in found.values] if kind == "array_value" else found


@contextmanager
def otlp_receiver(status: int = 200) -> Iterator[Receiver]:
    """Listen on a free port of loopback until the block ends."""

    class Receiving(Handler):
        def do_POST(self) -> None:
            receiver.requests.append(ExportTraceServiceRequest.FromString(self.body()))
            receiver.paths.append(self.path)
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send(status, {"Content-Length": "0"})

    with listening(Receiving) as url:
        receiver = Receiver(url)
        yield receiver
