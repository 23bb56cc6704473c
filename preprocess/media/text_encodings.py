"""The encoding of a text file: Unicode if it is valid, else by the language that its name gives, else by its letters.

Letters of languages as in Unicode CLDR's exemplar sets; code pages as Windows, Unix and DOS used them.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping

from charset_normalizer import from_bytes


def _between(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


_CYRILLIC = _between("Ѐ", "џ") + "Ґґ"
# Code pages of languages, the likeliest first, with their letters that ASCII lacks.
_CODE_PAGES: tuple[tuple[str, Mapping[str, str]], ...] = (
    (
        "cp1250 iso8859_2",
        {
            "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű",
            "sl": "čšž", "hr": "čćđšž", "bs": "čćđšž", "sr-Latn": "čćđšž", "ro": "ăâîșțşţ", "sq": "çë",
        },
    ),
    ("cp1254", {"tr": "çğıöşüİ", "az": "çğıöşüİ"}),
    ("cp1257 iso8859_13", {"lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "et": "äõöüšž"}),
    ("cp1253 iso8859_7", {"el": _between("Ά", "ώ")}),
    ("cp1251 koi8_u cp866 iso8859_5", dict.fromkeys(("ru", "uk", "be", "bg", "mk", "sr", "kk", "mn"), _CYRILLIC)),
    ("cp1255 iso8859_8", dict.fromkeys(("he", "yi"), _between("א", "ת"))),
    ("cp1256 iso8859_6", dict.fromkeys(("ar", "fa", "ur"), _between("؀", "ۿ"))),
    ("cp874", {"th": _between("ก", "๛")}),
    ("cp1258", {"vi": "àáâãèéêìíòóôõùúýăđĩũơư\u0300\u0301\u0303\u0309\u0323"}),
    ("cp932 euc_jp", {"ja": ""}),
    ("gb18030 big5", {"zh": ""}),
    ("cp949 johab", {"ko": ""}),
)  # fmt: skip
_HIGH = re.compile(rb"[\x80-\xff]+")
_OTHER_ALPHABETS = [page for pages, letters in _CODE_PAGES[3:] if "vi" not in letters for page in pages.split()]
_IN_WORDS = 0.5  # share of high bytes beside another, from which a text is in another alphabet


def decoded(data: bytes, language: str | None = None) -> tuple[str, str | None]:
    """The text of a file, and its encoding if that had to be guessed; `language` is its ISO 639 code, if known."""
    unicode = _unicode_encoding(data)
    try:
        return data.decode(unicode), None
    except UnicodeDecodeError:
        text = data.decode(unicode, "replace")
    broken = text.count("\ufffd")
    if unicode != "utf-8-sig" or sum(letter > "\x7f" for letter in text) > 5 * broken:  # a few bytes are damaged
        return text, f"{unicode.removesuffix('-sig')} with damaged letters"
    encoding = _of_language(data, language) or _of_another_alphabet(data) or "cp1252"
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _unicode_encoding(data: bytes) -> str:
    """UTF-16 by its mark or by the NUL bytes that spaces, digits and line ends have in it, else UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    first, second = data[0:2000:2].count(0), data[1:2000:2].count(0)
    if max(first, second) >= max(1, 4 * min(first, second), len(data[:2000]) // 20):
        return "utf-16-be" if first > second else "utf-16-le"
    return "utf-8-sig"


def _of_language(data: bytes, language: str | None) -> str | None:
    """The code page of a language in which the text has most of its letters."""
    for code in (language or "", (language or "").partition("-")[0]):
        for pages, letters in ((pages, of[code]) for pages, of in _CODE_PAGES if code in of):
            fitting = [page for page in pages.split() if _decodes(data, page)]
            if letters:
                return max(fitting, key=lambda page: _fit(data.decode(page), letters), default=None)
            best = from_bytes(_with_high_bytes(data), cp_isolation=fitting).best() if fitting else None
            return best.encoding if best else next(iter(fitting), None)
    return None


def _decodes(data: bytes, page: str) -> bool:
    try:
        data.decode(page)
    except UnicodeDecodeError:
        return False
    return True


def _fit(text: str, letters: str) -> int:
    """How well a text fits: small letters of the language, then its capitals; other letters and signs speak against."""
    known = letters + letters.upper()
    points = ((3 if letter.islower() else 2) if letter in known else -1 for letter in text if letter > "\x7f")
    return sum(points)


def _of_another_alphabet(data: bytes) -> str | None:
    """The encoding of a text whose words consist of high bytes; None if they stand alone, as accents do."""
    lengths = [len(run.group()) for run in _HIGH.finditer(data)]
    if sum(length for length in lengths if length > 1) < _IN_WORDS * sum(lengths) or max(lengths, default=0) < 4:
        return None
    best = from_bytes(_with_high_bytes(data), cp_isolation=_OTHER_ALPHABETS).best()
    return best.encoding if best else None


def _with_high_bytes(data: bytes) -> bytes:
    """The lines that aren't ASCII: times and markup say nothing about an encoding."""
    return b"\n".join(line for line in data.splitlines() if _HIGH.search(line))
