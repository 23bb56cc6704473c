"""`bench search`: the libraries that are made up, and the shape of the report."""

from __future__ import annotations

from itertools import islice

from longtake.bench.parts.made_up import sentences, vocabulary
from longtake.bench.parts.search_speed import PER_VIDEO, QUERIES, measure_search, show_search


def test_sentences_are_the_same_for_a_seed_and_frequent_words_are_frequent() -> None:
    words = vocabulary()
    texts = list(islice(sentences(7, words), 6000))
    assert texts == list(islice(sentences(7, words), 6000))
    assert texts != list(islice(sentences(8, words), 6000))
    assert all(4 <= len(text.split()) <= 14 for text in texts)
    said = " ".join(texts).split()
    assert said.count(words[0]) > said.count(words[9]) > said.count(words[999]) > 0


def test_the_vocabulary_holds_common_words_and_those_of_the_demo() -> None:
    words = vocabulary()
    assert words.index("the") < words.index("river") < 6000
    assert {"telescope", "shutter"} <= set(words)
    assert len(words) == len(set(words)) > 8000


def test_report_holds_every_measure() -> None:
    reported: list[str] = []
    report = measure_search([PER_VIDEO + 500], reported.append)
    [library] = report.libraries
    assert (library.documents, library.videos) == (3500, 2)
    assert min(library.write, library.first_query, library.after_a_change, library.bytes_on_disk) > 0
    assert set(library.warm) == {
        "unfiltered",
        "one modality",
        "a stretch of time",
        "a tenth of videos",
        "all three",
    }
    for beside in library.warm.values():
        assert beside.seconds.n == QUERIES >= 30
        assert beside.seconds.low > 0
        assert beside.ratio.low > 0
    assert reported[-1] == "searching 3500 documents"
    lines = show_search(report)
    assert len(lines) == 2 + 3 + len(library.warm)
    assert f"unfiltered        {library.warm['unfiltered'].seconds}; x a flat scan" in "\n".join(lines)
