"""An S3 server on loopback: moto's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import boto3
import pytest

# With the other packages of the tests, pip takes minutes to find the release of boto3 that suits it.
moto = pytest.importorskip("moto.server", reason="needs moto: pip install 'moto[server]'")

BUCKET = "talks"
SECRET = "wJalrXUtnFEMI-K7MDENG"


@contextmanager
def s3_server() -> Iterator[str]:
    """A server with the bucket `talks`, to which the variables of this process lead. Gives its URL."""
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("ACCESS_KEY_ID", "longtake"),
            ("SECRET_ACCESS_KEY", SECRET),
            ("DEFAULT_REGION", "us-east-1"),
        ):
            patch.setenv(f"AWS_{name}", value)
        patch.setenv("AWS_ENDPOINT_URL", url)
        boto3.client("s3").create_bucket(Bucket=BUCKET)
        try:
            yield url
        finally:
            server.stop()
