"""Claims that a model writes about videos, and a person confirms."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from helpers.eval_command import eval_
from helpers.media.clips import noise, write_clip
from helpers.servers.openai_server import openai_server, says

PAIRS = json.dumps({"pairs": [{"true": "A cup is blue.", "false": "A cup is red."}, {"true": "B", "false": "C"}]})


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "claims.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_model_writes_claims_and_only_confirmed_ones_are_asked(tmp_path: Path) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    write_clip(folder / "v.mp4", [noise(1, 64, 48)] * 25)
    library = ("--library", tmp_path / "library")
    # The third request gets no claims, and is asked again by the second command; of two pairs, one was asked for.
    script = [says(f"```json\n{PAIRS}\n```"), says(PAIRS), says("I can't see it."), says(PAIRS), says(PAIRS)]
    with openai_server(script) as server:
        command = ("claims", folder, "--subject", f"model:seer@{server.url}?frames=2", "--each", 1)
        code, _, remarks = eval_(*command, settings=library)
        assert (code, "v.mp4, state reversal: the reply has no pairs of claims" in remarks) == (3, True)
        assert len(rows(folder)) == 3
        code, reported, _ = eval_(*command, settings=library)
        assert (code, reported[:22]) == (0, "1 pair written, 3 kept")
        asked = json.dumps(server.requests[0]["messages"])
        assert "swaps the order of two actions" in asked
        assert asked.count("image_url") == 2 * 2  # its type and its field, for each frame
        assert "cannot be answered" not in asked
        assert len(server.requests) == 5
    written = rows(folder)
    assert {row["category"] for row in written} == {
        "temporal reordering", "action substitution", "state reversal", "attribute modification",
    }  # fmt: skip
    assert all(row["claim"] == "A cup is blue." and row["confirmed"] == "" for row in written)

    for row, answer in zip(written, ("yes", "no", "", ""), strict=True):
        row["confirmed"] = answer
    with (folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, written[0])
        writer.writeheader()
        writer.writerows(written)
    with openai_server([says(PAIRS)]) as server:
        command = ("claims", folder, "--subject", f"model:seer@{server.url}?frames=2", "--each", 1)
        _, reported, _ = eval_(*command, settings=library)
    assert "1 of 2 pairs that a person looked at confirmed" in reported
    code, reported, remarks = eval_("stress", "sycophancy", "--from", folder, "--out", tmp_path / "set", "--json")
    assert (code, json.loads(reported)["tests"]) == (3, {"sycophancy": 2})  # the true and the false claim of one row
    assert "2 rows of" in remarks
    assert "wait for a person" in remarks
