"""Matrix triples."""

import json
from fractions import Fraction

import pytest

from asanoha import triples
from asanoha.exceptions import AsanohaError, CheckError, DataError, FormatError, PlanError

SETTINGS = {"shape": (2, 3, 1), "count": 3, "bits": 64, "parties": 3}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "triples"
    told = []
    about = triples.generate(folder, **SETTINGS, progress=lambda done, count: told.append((done, count)))
    assert told == [(done, about.blocks) for done in range(1, about.blocks + 1)]
    return folder, about


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_says_what_is_in_it(made):
    folder, about = made
    assert (about.folder, about.shape, about.parties, about.count) == (folder, (2, 3, 1), 3, 3)
    assert about.modulus.bit_length() == 64 and about.modulus % 2**15 == 1
    assert about.security_bits >= 128 and about.mac_security_bits == 62
    assert about.blocks * about.block_size >= about.count > (about.blocks - 1) * about.block_size
    assert triples.verify(folder) == about
    # Nothing is made twice.
    before = files_of(folder)
    assert triples.generate(folder, **SETTINGS) == about and files_of(folder) == before
    assert triples.generate(folder, **{**SETTINGS, "bits": 20}, modulus=about.modulus) == about


def test_what_is_missing_is_made_again(made):
    folder, about = made
    before = files_of(folder)
    gone = folder / "party-1" / "block-00000000"
    gone.unlink()
    with pytest.raises(FormatError, match=r"`asanoha\.triples\.generate` with the same settings"):
        triples.verify(folder)
    assert triples.generate(folder, **SETTINGS) == about
    assert files_of(folder) == before


def test_damage_is_told_with_its_block(made, tmp_path):
    folder, _ = made
    place = folder / "party-2" / "block-00000000"
    whole = place.read_bytes()
    try:
        altered = bytearray(whole)
        altered[len(whole) // 2] ^= 4
        place.write_bytes(altered)
        with pytest.raises(CheckError, match=r"block-00000000: was altered.*`asanoha\.triples\.generate`") as caught:
            triples.verify(folder)
        # The triple that the bit is of, too.
        assert caught.value.wrong == 1 and len(caught.value.damaged) == 1
        place.write_bytes(whole[:-1])
        with pytest.raises(FormatError, match="bytes in place of"):
            triples.generate(folder, **SETTINGS)
    finally:
        place.write_bytes(whole)
    assert triples.verify(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    other = tmp_path / "other"
    other.mkdir()
    (other / "manifest.json").write_text(json.dumps({**manifest, "format": 2}))
    with pytest.raises(FormatError, match="format 2"):
        triples.verify(other)


def test_folders_of_other_triples_are_refused(made, tmp_path):
    folder, _ = made
    before = files_of(folder)
    for change, message in [
        ({"count": 4}, "triples of count 3, and 4"),
        ({"shape": 2}, "triples of shape"),
        ({"parties": 2}, "triples of parties 3"),
        ({"bits": 65}, "triples of modulus"),
    ]:
        with pytest.raises(DataError, match=message):
            triples.generate(folder, **{**SETTINGS, **change})
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(DataError, match="choose another folder"):
        triples.generate(tmp_path, **SETTINGS)
    with pytest.raises(AsanohaError, match="cannot be read"):
        triples.verify(tmp_path / "nowhere")
    with pytest.raises(AsanohaError, match="cannot be"):
        triples.generate(tmp_path / "letter.txt" / "below", **SETTINGS)
    assert files_of(folder) == before


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"shape": 0}, PlanError, "0 rows: take from 1 to 1024"),
        ({"shape": (1, 1025, 1)}, PlanError, "1025 inner"),
        ({"shape": (1, 2)}, DataError, r"shape is \(1, 2\)"),
        ({"shape": 2.0}, DataError, r"shape is 2\.0"),
        ({"shape": True}, DataError, "shape is True"),
        ({"shape": Fraction(2)}, DataError, "shape is"),
        ({"count": 0}, PlanError, "0 triples: take from 1"),
        ({"count": -1}, DataError, "count is -1"),
        ({"count": 2**70}, DataError, "count is"),
        ({"parties": 1}, PlanError, "1 parties: take from 2 to 64"),
        ({"parties": 2**40}, DataError, "parties is"),
        ({"bits": 19}, PlanError, "19 bits: take a prime of 20 to 512 bits"),
        ({"bits": "64"}, DataError, "bits is '64'"),
        ({"modulus": 2**64}, PlanError, "isn't a prime"),
        ({"modulus": 3**5000}, DataError, "modulus is"),
        ({"modulus": -7}, DataError, "modulus is -7"),
        ({"memory_limit": 1000}, PlanError, "allow more memory"),
    ],
)
def test_settings_that_make_no_sense_leave_no_folder(change, kind, message, tmp_path):
    folder = tmp_path / "triples"
    with pytest.raises(kind, match=message):
        triples.generate(folder, **{**SETTINGS, **change})
    assert not folder.exists()


def test_an_exception_of_progress_ends_the_work_and_it_can_go_on(tmp_path):
    folder = tmp_path / "triples"

    def stop(done, count):
        raise RuntimeError(f"stopped after {done} of {count}")

    with pytest.raises(RuntimeError, match="stopped after 1 of"):
        triples.generate(folder, **SETTINGS, progress=stop)
    triples.generate(folder, **SETTINGS)
    assert triples.verify(folder).count == 3
