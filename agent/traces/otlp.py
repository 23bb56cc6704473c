"""Spans in OTLP, the protocol of OpenTelemetry: sent over HTTP, and as a line of a file that collectors read."""

from __future__ import annotations

import json
import logging
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult

from longtake.errors import EngineError

_PATH = "/v1/traces"  # where a receiver takes spans, unless its address says otherwise
_IDS = ("traceId", "spanId", "parentSpanId")


def send(spans: Sequence[ReadableSpan], url: str) -> None:
    """Send spans to a receiver, with the headers that OTEL_EXPORTER_OTLP_HEADERS names.

    Args:
        spans: of one run.
        url: of the receiver; without a path, that of traces is added.

    Raises:
        EngineError: when it does not take them.
    """
    endpoint = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}{_PATH}"
    exporter = OTLPSpanExporter(endpoint=endpoint)
    with _said_by(logging.getLogger(OTLPSpanExporter.__module__)) as said:
        sent = exporter.export(spans)
    exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK gives it no types
    if sent is not SpanExportResult.SUCCESS:
        reason = said[-1].rstrip(".") if said else "it gave no reason"
        raise EngineError(f"{endpoint} did not take the spans ({reason}): see that an OTLP receiver listens there.")


def json_line(spans: Sequence[ReadableSpan]) -> str:
    """Spans as a line of a file, in OTLP's own JSON.

    It is the JSON of protobuf but for its ids, which are hexadecimal:
    https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
    """
    told: dict[str, Any] = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for resource in told["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span.update({name: b64decode(span[name]).hex() for name in _IDS if name in span})
    return json.dumps(told, ensure_ascii=False) + "\n"


@contextmanager
def _said_by(logger: logging.Logger) -> Iterator[list[str]]:
    """What a library logs, kept from the log: its errors are ours to tell."""
    said: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        said.append(record.getMessage())
        return False

    logger.addFilter(keep)
    try:
        yield said
    finally:
        logger.removeFilter(keep)
