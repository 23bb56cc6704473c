"""Recognises languages as people write them: `Spanish`, `español`, `es`, `spa`, `pt-BR`, `Brazilian Portuguese`."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches

from longtake.preprocess.media.language_codes import language_code

# Code and names: the English name first, then others, including the language's own.
_TABLE = """
aa Afar; ab Abkhazian, Abkhaz; af Afrikaans; ak Akan; am Amharic; an Aragonese, aragonés; ar Arabic,
العربية; as Assamese; av Avar, Avaric; ay Aymara; az Azerbaijani, Azeri; ba Bashkir; be Belarusian,
Belarussian, беларуская; bg Bulgarian, български; bi Bislama; bm Bambara; bn Bengali, Bangla, বাংলা;
bo Tibetan; br Breton, brezhoneg; bs Bosnian, bosanski; ca Catalan, Valencian, català; ce Chechen;
ch Chamorro; co Corsican; cs Czech, čeština, česky; cu Church Slavonic; cv Chuvash; cy Welsh,
Cymraeg; da Danish, dansk; de German, Deutsch; dv Divehi, Maldivian; dz Dzongkha; ee Ewe; el Greek,
Modern Greek, ελληνικά; en English; en-US American English, US English; en-GB British English, UK
English; eo Esperanto; es Spanish, Castilian, español, castellano; es-419 Latin American
Spanish; et Estonian, eesti; eu Basque,
euskara; fa Persian, Farsi, فارسی; ff Fulah, Fula; fi Finnish, suomi; fil Filipino; fj Fijian; fo
Faroese, føroyskt; fr French, français; fy Western Frisian, Frisian; ga Irish, Gaeilge; gd Scottish
Gaelic, Gaelic; gl Galician, galego; gn Guarani; gu Gujarati; gv Manx; ha Hausa; haw Hawaiian; he
Hebrew, עברית; hi Hindi, हिन्दी; hr Croatian, hrvatski; ht Haitian Creole, Haitian; hu Hungarian,
magyar; hy Armenian; ia Interlingua; id Indonesian, Bahasa Indonesia; ig Igbo; io Ido; is Icelandic,
íslenska; it Italian, italiano; iu Inuktitut; ja Japanese, 日本語; jv Javanese; ka Georgian, ქართული;
kg Kongo; ki Kikuyu; kk Kazakh; kl Greenlandic, Kalaallisut; km Khmer, Cambodian; kn Kannada; ko
Korean, 한국어; ks Kashmiri; ku Kurdish; kv Komi; kw Cornish; ky Kyrgyz, Kirghiz; la Latin; lb
Luxembourgish; lg Ganda, Luganda; li Limburgish; ln Lingala; lo Lao; lt Lithuanian, lietuvių; lv
Latvian, latviešu; mg Malagasy; mi Maori, Māori; mk Macedonian, македонски; ml Malayalam; mn
Mongolian; mr Marathi; ms Malay, Bahasa Melayu; mt Maltese, Malti; my Burmese; nb Norwegian Bokmål,
Bokmål, Bokmal; ne Nepali; nl Dutch, Flemish, Nederlands; nn Norwegian Nynorsk, Nynorsk; no
Norwegian, norsk; nv Navajo; ny Chichewa, Nyanja; oc Occitan; om Oromo; or Odia, Oriya; os Ossetian;
pa Punjabi, Panjabi; pl Polish, polski; ps Pashto; pt Portuguese, português; pt-BR Brazilian
Portuguese; pt-PT European Portuguese; qu Quechua; rm Romansh; rn Rundi; ro Romanian, Moldovan,
română; ru Russian, русский; rw Kinyarwanda; sa Sanskrit; sc Sardinian; sd Sindhi; se Northern Sami;
si Sinhala, Sinhalese; sk Slovak, slovenčina; sl Slovenian, Slovene, slovenščina; sm Samoan; sn
Shona; so Somali; sq Albanian, shqip; sr Serbian, српски, srpski; ss Swati; st Sotho, Sesotho; su
Sundanese; sv Swedish, svenska; sw Swahili, Kiswahili; ta Tamil, தமிழ்; te Telugu; tg Tajik; th
Thai, ไทย; ti Tigrinya; tk Turkmen; tl Tagalog; tn Tswana; to Tongan; tr Turkish, Türkçe; ts Tsonga;
tt Tatar; tw Twi; ty Tahitian; ug Uyghur, Uighur; uk Ukrainian, українська; ur Urdu, اردو; uz Uzbek;
ve Venda; vi Vietnamese, Tiếng Việt; vo Volapük; wa Walloon; wo Wolof; xh Xhosa; yi Yiddish; yo
Yoruba; yue Cantonese; za Zhuang; zh Chinese, Mandarin, Mandarin Chinese, 中文, 汉语, 普通话; zh-Hans
Simplified Chinese; zh-Hant Traditional Chinese; zu Zulu
"""


def _names() -> dict[str, list[str]]:
    entries = (entry.split(maxsplit=1) for entry in _TABLE.replace("\n", " ").split(";"))
    return {code: [name.strip() for name in names.split(",")] for code, names in entries}


_NAMES = _names()


def _plain(name: str) -> str:
    """A name without capitals and accents, which people leave out."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


_CODES = {_plain(name): code for code, names in _NAMES.items() for name in names}


def language_of(text: str) -> str | None:
    """The shortest code for a language's name or code, with its region if given; None if the text isn't a language."""
    plain = re.sub(r"\(.*\)", "", text).strip()
    return language_code(plain) or _CODES.get(_plain(plain))


def language_name(code: str) -> str:
    """The English name of a language by its code, with the region if the table has no name for both."""
    if code in _NAMES:
        return _NAMES[code][0]
    language, _, region = code.partition("-")
    name = _NAMES[language][0] if language in _NAMES else language
    return f"{name} ({region})" if region else name


def languages() -> list[tuple[str, str]]:
    """Code and English name of every language, without regions, by name."""
    return sorted(((code, names[0]) for code, names in _NAMES.items() if "-" not in code), key=lambda each: each[1])


def near_language(text: str) -> str | None:
    """The English name closest to a misspelt one."""
    close = get_close_matches(_plain(text.strip()), _CODES, n=1)
    return language_name(_CODES[close[0]]) if close else None


def same_language(one: str, other: str) -> bool:
    """Whether two codes name the same language, and not different regions of it."""
    (language, _, region), (another, _, place) = one.partition("-"), other.partition("-")
    return language == another and (region == place or not region or not place)
