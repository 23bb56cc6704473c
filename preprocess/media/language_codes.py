"""ISO 639 language codes as they appear in file names and media tracks."""

from __future__ import annotations

import re

# ISO 639-1, and after the colon the ISO 639-2 codes (terminological and bibliographic) of the same language, and
# those it had before.
_TABLE = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis
bm:bam bn:ben bo:bod,tib br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces,cze cu:chu cv:chv cy:cym,wel
da:dan de:deu,ger dv:div dz:dzo ee:ewe el:ell,gre en:eng eo:epo es:spa et:est eu:eus,baq fa:fas,per ff:ful fi:fin
fj:fij fo:fao fr:fra,fre fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb,iw hi:hin ho:hmo hr:hrv
ht:hat hu:hun hy:hye,arm hz:her ia:ina id:ind,in ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl,ice it:ita iu:iku ja:jpn
jv:jav,jw ka:kat,geo kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor
ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri,mao mk:mkd,mac ml:mal
mn:mon mr:mar ms:msa,may mt:mlt my:mya,bur na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld,dut nn:nno no:nor nr:nbl
nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run
ro:ron,rum,mo ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk,slo sl:slv sm:smo sn:sna so:som
sq:sqi,alb sr:srp,sh ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn
to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho
yi:yid,ji yo:yor za:zha zh:zho,chi,cmn zu:zul fil: yue: haw: ase: ast: ceb: chr: gsw: hmn: mai: nds: sco:
"""


def _shortest() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in _TABLE.split():
        code, _, longer = entry.partition(":")
        found |= dict.fromkeys([code, *longer.split(",")] if longer else [code], code)
    return found


_SHORTEST = _shortest()
_VARIANT = re.compile(r"(?=.{1,8}$)[a-z]*\d[a-z0-9]*|x", re.IGNORECASE)  # of a tag (RFC 5646, 2.1)


def language_code(text: str | None) -> str | None:
    """The shortest ISO 639 code for `en`, `eng`, `EN`, `iw`, with the script and region of a BCP 47 tag; None if none.

    `zh-hant-tw` is `zh-Hant-TW`; what else a tag tells is left out.
    """
    head, *rest = (text or "").replace("_", "-").removesuffix("-orig").split("-")  # so YouTube marks what was said
    language = _SHORTEST.get(head.lower())
    script = f"-{rest.pop(0).title()}" if language and rest and len(rest[0]) == 4 and rest[0].isalpha() else ""
    region = ""
    if rest and ((len(rest[0]) == 2 and rest[0].isalpha()) or (len(rest[0]) == 3 and rest[0].isdigit())):
        region = f"-{rest.pop(0).upper()}"
    if language is None or not all(map(_VARIANT.fullmatch, rest)):
        return None
    return f"{language}{script}{region}"
