"""Translation models through their real converter and loading code, with random weights."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.models.tiny_translators import M2M100, NLLB, copy_of, write_tiny_translator

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.engine_table import EngineTable
from longtake.preprocess.engines.process import engine_process
from longtake.preprocess.engines.text.ctranslate2_models import CTranslate2, missing_model
from longtake.settings import Settings

KINDS = {"nllb": NLLB, "m2m100": M2M100}
TEXTS = ["a cat sat. it ate!", "the dog"]


@pytest.fixture(scope="module", params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_translator(tmp_path_factory.mktemp("translator"), KINDS[request.param])


def settings(folder: Path | str) -> Settings:
    return load(overrides=[f"translation.model={folder}"])


@pytest.mark.nightly
def test_each_text_is_translated_in_a_separate_process_as_in_this_one(folder: Path) -> None:
    engine = engine_process(f"{CTranslate2.__module__}:CTranslate2", settings(folder))
    try:
        translated = engine.translate(TEXTS, "en", "es")
        assert len(translated) == len(TEXTS)
        assert translated == CTranslate2(settings(folder)).translate(TEXTS, "en", "es")
    finally:
        engine.close()


@pytest.mark.nightly
def test_the_target_language_is_what_the_model_is_told(folder: Path) -> None:
    """Each sentence is translated as the model itself does, with the tokens of the languages."""
    import ctranslate2
    from tokenizers import Tokenizer

    source, target = (next(code for code in _tokens(folder) if part in code) for part in ("en", "ar"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pieces = tokenizer.encode("the dog", add_special_tokens=False).tokens
    [result] = ctranslate2.Translator(str(folder)).translate_batch(
        [[source, *pieces, "</s>"]], target_prefix=[[target]], max_decoding_length=512
    )
    assert result.hypotheses[0][0] == target
    numbers = [tokenizer.token_to_id(token) for token in result.hypotheses[0][1:]]
    expected = tokenizer.decode([number for number in numbers if number is not None])
    assert CTranslate2(settings(folder)).translate(["the dog"], "en", "ar") == [expected.strip()]


def _tokens(folder: Path) -> tuple[str, ...]:
    text = (folder / "shared_vocabulary.json").read_text()
    return next(tokens for tokens in KINDS.values() if tokens[0] in text)


@pytest.mark.nightly
@pytest.mark.parametrize("code", ["en", "es", "zh", "zh-Hans", "ar", "no", "en-GB"])
def test_languages_of_both_kinds_are_known_by_their_usual_codes(folder: Path, code: str) -> None:
    engine = CTranslate2(settings(folder))
    assert engine.missing(code, "es") is None
    assert engine.missing("es", code) is None


@pytest.mark.nightly
def test_an_unknown_language_is_one_sentence(folder: Path) -> None:
    engine = CTranslate2(settings(folder))
    assert "Welsh" in (engine.missing("cy", "en") or "")
    with pytest.raises(EngineError, match="Welsh"):
        engine.translate(["ci"], "cy", "en")


@pytest.mark.nightly
def test_a_model_is_preferred_and_a_copy_has_the_same_id(folder: Path, tmp_path: Path) -> None:
    table = EngineTable(settings(folder))
    assert table.report("translation").engine == "ctranslate2"
    copy = copy_of(folder, tmp_path / "copy")
    assert CTranslate2(settings(copy)).id == table.load("translation").id


@pytest.mark.nightly
@pytest.mark.parametrize("absent", ["model.bin", "tokenizer.json", "shared_vocabulary.json", "config.json"])
def test_a_missing_file_is_named(folder: Path, tmp_path: Path, absent: str) -> None:
    copy = copy_of(folder, tmp_path / "copy")
    assert missing_model(settings(copy)) is None
    (copy / absent).unlink()
    assert absent in (missing_model(settings(copy)) or "")


@pytest.mark.nightly
def test_a_model_of_another_kind_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "ct2-transformers-converter" in (missing_model(settings(folder.parent)) or "")
    copy = copy_of(folder, tmp_path / "copy")
    (copy / "shared_vocabulary.json").write_text('["a", "b"]')
    assert "names no languages" in (missing_model(settings(copy)) or "")


@pytest.mark.nightly
@pytest.mark.parametrize("damaged", ["model.bin", "tokenizer.json"])
def test_a_damaged_file_is_one_sentence(folder: Path, tmp_path: Path, damaged: str) -> None:
    copy = copy_of(folder, tmp_path / "copy")
    (copy / damaged).write_bytes((copy / damaged).read_bytes()[:200])
    with pytest.raises(EngineError, match=r"translation\.model=DIR") as caught:
        CTranslate2(settings(copy)).translate(["a"], "en", "es")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["nllb-600m", "no//model"])
def test_a_model_that_is_not_on_disk_says_how_to_get_one(name: str) -> None:
    assert "longtake models pull" in (missing_model(settings(name)) or "")
