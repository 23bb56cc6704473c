"""The gallery of enrolled faces."""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from longtake.errors import LibraryError
from longtake.memory.gallery import EnrolledFace, Gallery


def face(number: float, engine: str = "e-1") -> EnrolledFace:
    return EnrolledFace(engine=engine, embedding=(number, 0.25))


def test_who_is_enrolled_is_there_after_a_restart(tmp_path: Path) -> None:
    Gallery(tmp_path).enrol("Grace Hopper", [face(1)], "admiral")
    Gallery(tmp_path).enrol("Ada Lovelace", [face(2)])
    ada, grace = Gallery(tmp_path).people()
    assert (ada.name, ada.role, ada.faces) == ("Ada Lovelace", "", (face(2),))
    assert (grace.name, grace.role) == ("Grace Hopper", "admiral")


def test_more_photos_add_to_the_same_person_whatever_the_case(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    gallery.enrol("Ada", [face(1)], "countess")
    person = gallery.enrol(" ADA ", [face(1), face(2, "e-2")])
    assert (person.name, person.role, person.faces) == ("Ada", "countess", (face(1), face(2, "e-2")))
    assert gallery.people() == (person,)


def test_a_forgotten_face_leaves_no_number_behind(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    gallery.enrol("Ada", [face(0.8125)])
    gallery.enrol("Grace", [face(2)])
    assert gallery.forget("ada").name == "Ada"
    assert [person.name for person in gallery.people()] == ["Grace"]
    assert not any("0.8125" in file.read_text() for file in tmp_path.iterdir())


def test_forgetting_nobody_names_the_near_match(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    gallery.enrol("Ada Lovelace", [face(1)])
    with pytest.raises(LibraryError, match=r"Nobody is enrolled as 'Ada'. Did you mean 'Ada Lovelace'\?"):
        gallery.forget("Ada")
    assert len(gallery.people()) == 1


@pytest.mark.parametrize("name", ["", "  ", "\n", "unknown", "Unknown 2"])
def test_a_name_must_say_who_it_is(name: str, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="name"):
        Gallery(tmp_path).enrol(name, [face(1)])
    assert Gallery(tmp_path).people() == ()


def test_a_name_is_one_line_of_text(tmp_path: Path) -> None:
    assert Gallery(tmp_path).enrol("Ada\n\x1b[31m Lovelace", [face(1)]).name == "Ada [31m Lovelace"


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    Gallery(tmp_path).enrol("Ada", [face(1)])
    assert stat.S_IMODE((tmp_path / "faces.json").stat().st_mode) == 0o600


def test_a_damaged_gallery_is_an_error_and_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "faces.json").write_text('[{"name": "Ada"')
    for use in (lambda: Gallery(tmp_path).people(), lambda: Gallery(tmp_path).enrol("Grace", [face(1)])):
        with pytest.raises(LibraryError, match=r"faces\.json.*enrol the faces again"):
            use()
    assert (tmp_path / "faces.json").read_text() == '[{"name": "Ada"'


def test_processes_that_enrol_at_once_lose_nobody(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from longtake.memory.gallery import EnrolledFace, Gallery\n"
        "for number in range(10):\n"
        "    face = EnrolledFace(engine='e', embedding=(number, int(sys.argv[2])))\n"
        "    Gallery(Path(sys.argv[1])).enrol(f'person {sys.argv[2]}-{number}', [face])\n"
        "    Gallery(Path(sys.argv[1])).enrol('everybody', [face])\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(each)]) for each in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    people = {person.name: person for person in Gallery(tmp_path).people()}
    assert len(people) == 41
    assert len(people["everybody"].faces) == 40
