"""Encodings of subtitles: Unicode, by the language of the name, by the letters."""

from __future__ import annotations

import pytest

from longtake.preprocess.media.text_encodings import decoded

CUE = "1\r\n00:00:01,000 --> 00:00:03,000\r\n{}\r\n"


@pytest.mark.parametrize(
    ("language", "text", "encodings"),
    [
        ("pl", "Zażółć gęślą jaźń", "cp1250 iso8859_2"),
        ("cs", "Dobrý den, jmenuji se Šárka.", "cp1250 iso8859_2"),
        ("hu", "Árvíztűrő tükörfúrógép", "cp1250"),
        ("tr", "Günaydın, benim adım Ayşe.", "cp1254"),
        ("lt", "Ąžuolas ir švyturys, ačiū", "cp1257"),
        ("el", "Τι κάνετε; Άνοιξη", "cp1253 iso8859_7"),
        ("ru", "Паром уходит в девять часов", "cp1251 koi8_u cp866 iso8859_5"),
        ("he", "שלום לכולם", "cp1255"),
        ("ar", "مرحبا بكم في الميناء", "cp1256 iso8859_6"),
        ("th", "สวัสดีครับ", "cp874"),
        ("ja", "今日は雨が降っています。テスト", "cp932 euc_jp"),
        ("zh-Hans", "今天下雨了。我明天去", "gb18030"),
        ("ko", "안녕하세요 오늘은 비가", "cp949"),
        ("fr", "Où est-elle allée à Noël, l'été dernier?", "cp1252"),
        (None, "It costs £5 a day, at 20°C.", "cp1252"),
        (None, "Größe: 5 € – „schön“", "cp1252"),
        (None, "Паром уходит в девять часов утра", "cp1251"),
        (None, "今日は雨が降っています。明日は晴れです", "cp932"),
    ],
)
def test_the_language_of_the_name_or_else_the_letters_tell_the_encoding(
    language: str | None, text: str, encodings: str
) -> None:
    for encoding in encodings.split():
        assert decoded(CUE.format(text).encode(encoding), language) == (CUE.format(text), encoding)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
        assert decoded(CUE.format(text).encode(encoding), language) == (CUE.format(text), None)


def test_a_damaged_letter_costs_itself_alone() -> None:
    text, encoding = decoded(CUE.format("Où est-elle allée à Noël, l'été dernier, Zoë?").encode() + b"\xff", "fr")
    assert "allée à Noël" in text
    assert encoding == "utf-8 with damaged letters"
