"""Private search of haplotypes."""

import copy
import json
import pickle
import subprocess
import warnings

import numpy as np
import pytest
from remote_server import PROGRAM
from variants import vcf

from asanoha import genome
from asanoha.exceptions import AsanohaError, CheckError, DataError, FormatError, PlanError, SecretError, WrongKeysError

SITES = 9
HAPLOTYPES = 22
START, LENGTH = 2, 6


def panel_letters(seed=3):
    return np.random.default_rng(seed).random((HAPLOTYPES, SITES)) < 0.4


def plain(letters, query):
    """The length and the count, letter by letter."""
    agree = np.cumprod(letters[:, START : START + LENGTH] == query, axis=1).sum(axis=1)
    length = int(agree.max())
    return genome.Match(length, int((agree == length).sum()) if length else 0)


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    path = tmp_path_factory.mktemp("panel") / "panel.vcf"
    path.write_text(vcf(panel_letters(), [f"s{at}" for at in range(HAPLOTYPES // 2)]))
    return genome.Panel.read(path)


@pytest.fixture(scope="module")
def parties():
    client = genome.Client.generate(LENGTH, 8)
    return client, client.keys()


def queries():
    letters = panel_letters()[:, START : START + LENGTH]
    return [letters[5], ~letters[0], np.random.default_rng(9).random(LENGTH) < 0.5]


def test_answers_are_those_of_a_plain_search(panel, parties):
    client, keys = parties
    assert client.security_bits >= 128
    server = genome.Server(keys, 8)
    parts = panel.split(3)
    assert [part.haplotypes for part in parts] == [7, 7, 8]
    for query in queries():
        sent = client.query(query)
        found = client.answer(server.answer(part, sent, start=START) for part in parts)
        assert found == plain(panel_letters(), query)
        one = client.answer(server.answer(parts[1], sent, start=START))
        assert one == plain(panel_letters()[7:14], query)


def test_a_query_that_agrees_nowhere_has_length_and_count_0(tmp_path):
    path = tmp_path / "ones.vcf"
    path.write_text(vcf(np.ones((4, SITES), dtype=bool), ["a", "b"]))
    ones = genome.Panel.read(path)
    client = genome.Client.generate(1, 4)
    server = genome.Server(client.keys(), 4)
    for letter, found in [(0, genome.Match(0, 0)), (1, genome.Match(1, 4))]:
        answers = [server.answer(part, client.query([letter]), start=0) for part in ones.split(2)]
        assert client.answer(answers) == found


def test_panels_read_back_and_split_into_all_haplotypes(panel, tmp_path):
    assert (panel.chromosome, panel.haplotypes, panel.sites) == ("20", HAPLOTYPES, SITES)
    assert repr(panel) == "Panel(22 haplotypes at 9 sites of 20)"
    (tmp_path / "index").write_bytes(panel.to_bytes())
    for again in [
        genome.Panel.from_bytes(panel.to_bytes()),
        genome.Panel.read(tmp_path / "index"),
        pickle.loads(pickle.dumps(panel)),
        panel.split(1)[0],
    ]:
        assert again.to_bytes() == panel.to_bytes()
    assert sum(part.haplotypes for part in panel.split(HAPLOTYPES)) == HAPLOTYPES
    for count in [0, HAPLOTYPES + 1, 1.0, True]:
        with pytest.raises(DataError, match="should be from 1 to 22"):
            panel.split(count)


def test_letters_are_those_of_the_file(panel, tmp_path):
    mine = panel_letters(seed=8)[:4]
    path = tmp_path / "me.vcf"
    path.write_text(vcf(mine, ["me", "you"]))
    found = panel.letters(path, start=START, length=LENGTH)
    assert [(haplotype.sample, haplotype.number) for haplotype in found] == [
        ("me", 0),
        ("me", 1),
        ("you", 2),
        ("you", 3),
    ]
    for haplotype, letters in zip(found, mine, strict=True):
        assert haplotype.letters.dtype == bool and (haplotype.letters == letters[START : START + LENGTH]).all()
    with pytest.raises(DataError):
        panel.letters(path, start=5, length=LENGTH)
    with pytest.raises(DataError, match="start is -1"):
        panel.letters(path, start=-1, length=1)
    with pytest.raises(AsanohaError):
        panel.letters(tmp_path / "nobody.vcf", start=0, length=1)


@pytest.mark.skipif(
    PROGRAM is None, reason="the program asanoha is needed: cargo xtask python builds it, or name it by ASANOHA_PROGRAM"
)
def test_haplotypes_have_the_numbers_of_the_command_line(panel, tmp_path):
    mine = panel_letters(seed=8)[:4]
    (tmp_path / "me.vcf").write_text(vcf(mine, ["me", "you"]))
    (tmp_path / "panel.vcf").write_text(vcf(panel_letters(), [f"s{at}" for at in range(HAPLOTYPES // 2)]))
    found = panel.letters(tmp_path / "me.vcf", start=START, length=LENGTH)
    files = ["--local", tmp_path / "panel.vcf", "--vcf", tmp_path / "me.vcf"]
    window = ["--start", START, "--length", LENGTH, "--json"]
    command = [PROGRAM, "genome", "query", *files, *window]
    run = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    report = json.loads(run.stdout)
    assert report["haplotype"] == [haplotype.number for haplotype in found]
    assert report["sample"] == [haplotype.sample for haplotype in found]


def test_records_that_are_left_out_are_counted_by_reason(tmp_path):
    path = tmp_path / "panel.vcf"
    lines = vcf(panel_letters(), [f"s{at}" for at in range(HAPLOTYPES // 2)]).splitlines()
    lines[5] = lines[5].replace("\tC\t", "\tC,G\t")
    lines[6] = lines[6].replace("|", "/").replace("0/0", "0/1")
    lines[8] = lines[8].replace("\tC\t", "\tC,G\t")
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match="not biallelic"):
        genome.Panel.read(path)
    with pytest.warns(UserWarning, match=r"panel.vcf: 3 records left out, .*not biallelic: 2; .*not phased: 1"):
        some = genome.Panel.read(path, skip_unusable=True)
    assert some.sites == SITES - 3
    assert some.skipped == {"the record is not biallelic": 2, "the genotype is not phased": 1}
    assert genome.Panel.from_bytes(some.to_bytes()).skipped == {}
    path.write_text("\n".join(lines[:5]) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert genome.Panel.read(path, skip_unusable=True).skipped == {}


def test_what_is_damaged_or_foreign_is_refused(panel, parties, tmp_path):
    client, keys = parties
    server = genome.Server(keys, 8)
    part = panel.split(3)[0]
    query = client.query(queries()[0])
    answer = server.answer(part, query, start=START)
    other = genome.Client.generate(LENGTH, 8)
    with pytest.raises(CheckError, match="other keys"):
        other.answer(answer)
    with pytest.raises(FormatError):
        client.answer(answer[:-1])
    with pytest.raises(FormatError):
        client.answer(query)
    with pytest.raises(FormatError):
        server.answer(part, query[:-1], start=START)
    with pytest.raises(FormatError):
        server.answer(part, answer, start=START)
    with pytest.raises(FormatError, match="another shape"):
        genome.Server(keys, 9).answer(part, query, start=START)
    with pytest.raises(PlanError, match="66000 haplotypes"):
        genome.Server(keys, 66000)
    for damaged in [b"", keys[:50], keys[:-1], keys[:-40] + bytes(40)]:
        with pytest.raises((FormatError, WrongKeysError)):
            genome.Server(damaged, 8)
    with pytest.raises(DataError, match="22 haplotypes differ|haplotypes differ in the window"):
        server.answer(panel, query, start=START)
    with pytest.raises(DataError):
        server.answer(part, query, start=SITES)
    with pytest.raises(DataError, match="should be a Panel"):
        server.answer(part.to_bytes(), query, start=START)
    with pytest.raises(FormatError, match="digest"):
        genome.Panel.from_bytes(panel.to_bytes()[:-1] + b"?")
    (tmp_path / "text.vcf").write_text("no variants")
    with pytest.raises(AsanohaError):
        genome.Panel.read(tmp_path / "text.vcf")


def test_arguments_that_make_no_sense_are_refused(parties):
    client, _ = parties
    for letters in [[0, 1], [0, 1, 2, 0, 0, 0], [0.5] * LENGTH, "101010", [[0] * LENGTH]]:
        with pytest.raises(DataError, match="should be 6 of 0 and 1"):
            client.query(letters)
    with pytest.raises(DataError, match="no answers"):
        client.answer([])
    with pytest.raises(DataError, match="length is 0"):
        genome.Client.generate(0, 8)
    with pytest.raises(PlanError, match="a search of"):
        genome.Client.generate(4, 1 << 20)
    with pytest.raises(PlanError):
        genome.Client.generate(1 << 24, 4)


def test_a_client_is_neither_copied_nor_printed(parties):
    client, _ = parties
    for leave in [pickle.dumps, copy.copy, copy.deepcopy]:
        with pytest.raises(SecretError, match="can't be pickled or copied"):
            leave(client)
    with pytest.raises(SecretError):
        genome.Client()
    assert repr(client) == "Client(length=6, haplotypes=8)"
