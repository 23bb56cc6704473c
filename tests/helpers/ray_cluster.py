"""A Ray cluster of two nodes on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from longtake.cluster.pool import MEMORY


@contextmanager
def two_nodes(gpus: int = 0) -> Iterator[str]:
    """The address of a cluster of two nodes with one core each; the second one says that it has GPUs."""
    cluster_utils = pytest.importorskip(
        "ray.cluster_utils", reason="needs the extra `ray`: pip install 'longtake[ray]'"
    )
    node = {"num_cpus": 1, "memory": 2 * MEMORY, "object_store_memory": 100 << 20}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node, num_gpus=gpus)
    try:
        yield cluster.address
    finally:
        cluster.shutdown()
