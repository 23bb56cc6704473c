"""Exports spans in OTLP, OpenTelemetry's protocol: over HTTP, or as a line of a file that collectors read."""

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

_PATH = "/v1/traces"  # a receiver's default path for spans
_IDS = ("traceId", "spanId", "parentSpanId")


def send(spans: Sequence[ReadableSpan], url: str) -> None:
    """Send spans to a receiver, with the headers in OTEL_EXPORTER_OTLP_HEADERS.

    Args:
        spans: the spans of one run.
        url: the receiver; without a path, the one for traces is added.

    Raises:
        EngineError: when it doesn't accept them.
    """
    endpoint = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}{_PATH}"
    exporter = OTLPSpanExporter(endpoint=endpoint)
    with _captured(logging.getLogger(OTLPSpanExporter.__module__)) as records:
        sent = exporter.export(spans)
    exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK gives it no types
    if sent is not SpanExportResult.SUCCESS:
        reason = records[-1].rstrip(".") if records else "it gave no reason"
        raise EngineError(f"{endpoint} didn't accept the spans ({reason}): check that an OTLP receiver listens there.")


def json_line(spans: Sequence[ReadableSpan]) -> str:
    """Spans as a line of OTLP JSON.

    It is protobuf's JSON, except that ids are hexadecimal:
    https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
    """
    document: dict[str, Any] = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span.update({name: b64decode(span[name]).hex() for name in _IDS if name in span})
    return json.dumps(document, ensure_ascii=False) + "\n"


@contextmanager
def _captured(logger: logging.Logger) -> Iterator[list[str]]:
    """Capture a library's log messages instead of logging them: we report its errors."""
    messages: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        messages.append(record.getMessage())
        return False

    logger.addFilter(keep)
    try:
        yield messages
    finally:
        logger.removeFilter(keep)
