"""known_hosts belongs to the user: boxtop reads all of it and adds one line at most."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ssh_keys import Key, make_key
from tui.links.ssh.known_hosts import HostKey, accept, host_name, look_up, removal_hint, replace

CASES = Path(__file__).parent.parent.parent / "data" / "cases"


def key_of(text: str) -> HostKey:
    import base64

    return HostKey.from_blob(base64.b64decode(text.split()[1]))


def blob_of(key: Key) -> HostKey:
    return key_of(key.public)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Key]:
    directory = tmp_path_factory.mktemp("keys")
    kinds = {"old": "ed25519", "new": "ed25519", "ecdsa": "ecdsa", "other": "ed25519"}
    return {name: make_key(directory / name, kind) for name, kind in kinds.items()}


@pytest.fixture
def file(home: Path) -> Path:
    (home / ".ssh").mkdir(mode=0o700)
    return home / ".ssh" / "known_hosts"


def public(key: Key) -> str:
    return " ".join(key.public.split()[:2])


def test_a_pipe_in_its_place_is_never_waited_for(file: Path, keys: dict[str, Key]) -> None:
    os.mkfifo(file)
    assert look_up("[h]:1", [file, Path("/dev/zero"), file.parent]).keys == ()
    with pytest.raises(OSError, match="not a regular file"):
        accept(file, "[h]:1", blob_of(keys["new"]))


def test_a_recycled_address_is_seen_as_changed_with_both_fingerprints() -> None:
    host, port, *offered = (CASES / "SSH-01" / "offered.txt").read_text().split()
    known = look_up(host_name(host, int(port)), [CASES / "SSH-01" / "known_hosts"])
    key = key_of(" ".join(offered))
    expected = (CASES / "SSH-01" / "expect.md").read_text()
    stored, shown = re.findall(r"SHA256:[A-Za-z0-9+/]+", expected)
    assert known.host == "[203.0.113.7]:40022"
    assert known.standing(key) == "changed"
    assert [entry.key.fingerprint for entry in known.keys] == [stored]
    assert key.fingerprint == shown


def test_replacing_one_host_leaves_the_other_lines_byte_equal(file: Path) -> None:
    before = (CASES / "SSH-01" / "known_hosts").read_bytes()
    file.write_bytes(before)
    key = key_of(" ".join((CASES / "SSH-01" / "offered.txt").read_text().split()[2:]))
    assert replace(file, "[203.0.113.7]:40022", key) == 1
    first, second = file.read_bytes().splitlines(keepends=True)
    assert first.decode() == f"[203.0.113.7]:40022 {key.text}\n"
    assert second == before.splitlines(keepends=True)[1]


def test_hints_name_the_entry_as_ssh_keygen_wants_it(home: Path) -> None:
    cases = json.loads((CASES / "SSH-02" / "input.json").read_text())["cases"]
    hints = [removal_hint(host_name(case["host"], case["port"])) for case in cases]
    expected = (CASES / "SSH-02" / "expect.md").read_text().strip().removeprefix("hints: ")
    assert hints == expected.split(" | ")
    usual = home / ".ssh" / "known_hosts"
    assert removal_hint("gpu1", usual) == "ssh-keygen -R gpu1"
    assert removal_hint("gpu1", Path("/a b")) == "ssh-keygen -R gpu1 -f '/a b'"


def test_accepting_a_key_appends_one_line_and_changes_nothing_else(file: Path) -> None:
    before = (CASES / "SSH-04" / "known_hosts").read_bytes()
    file.write_bytes(before)
    file.chmod(0o640)
    name, *rest = (CASES / "SSH-04" / "accept.txt").read_text().split()
    accept(file, name, key_of(" ".join(rest)))
    assert file.read_bytes() == before + (CASES / "SSH-04" / "accept.txt").read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_without_a_last_newline_gets_one_first(file: Path, keys: dict[str, Key]) -> None:
    file.write_bytes(b"# no newline")
    accept(file, "gpu1", blob_of(keys["new"]))
    assert file.read_text() == f"# no newline\ngpu1 {public(keys['new'])}\n"


def test_the_first_file_is_made_for_its_owner_alone(home: Path, keys: dict[str, Key]) -> None:
    path = home / ".ssh" / "known_hosts"
    accept(path, "gpu1", blob_of(keys["new"]))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text() == f"gpu1 {public(keys['new'])}\n"


def test_accepting_into_dev_null_is_harmless(keys: dict[str, Key]) -> None:
    accept(Path(os.devnull), "gpu1", blob_of(keys["new"]))
    assert look_up("gpu1", [Path(os.devnull)]).keys == ()


def test_ssh_finds_what_boxtop_accepted(file: Path, keys: dict[str, Key]) -> None:
    accept(file, host_name("2001:DB8::5", 40022), blob_of(keys["new"]))
    found = subprocess.run(
        ["ssh-keygen", "-F", "[2001:db8::5]:40022", "-f", str(file)], capture_output=True, text=True
    )
    assert public(keys["new"]) in found.stdout


def test_hashed_entries_are_found(file: Path, keys: dict[str, Key]) -> None:
    file.write_text(f"[203.0.113.7]:40022 {public(keys['old'])}\ngpu2 {public(keys['other'])}\n")
    subprocess.run(["ssh-keygen", "-H", "-f", str(file)], check=True, capture_output=True)
    assert file.read_text().startswith("|1|")
    assert look_up("[203.0.113.7]:40022", [file]).standing(blob_of(keys["old"])) == "known"
    assert look_up("203.0.113.7", [file]).standing(blob_of(keys["old"])) == "unknown"


def test_lists_wildcards_and_negations(file: Path, keys: dict[str, Key]) -> None:
    file.write_text(
        f"alpha,[beta]:2222,203.0.113.? {public(keys['old'])}\n"
        f"*.example.org,!bad.example.org {public(keys['old'])}\n"
    )
    key = blob_of(keys["old"])
    named = ["ALPHA".lower(), "[beta]:2222", "203.0.113.7", "a.example.org"]
    assert [look_up(name, [file]).standing(key) for name in named] == ["known"] * 4
    others = ["beta", "203.0.113.77", "bad.example.org"]
    assert [look_up(name, [file]).standing(key) for name in others] == ["unknown"] * 3


def test_several_key_types_of_a_host_are_all_known(file: Path, keys: dict[str, Key]) -> None:
    file.write_text(f"gpu1 {public(keys['ecdsa'])}\ngpu1 {public(keys['old'])}\n")
    known = look_up("gpu1", [file])
    assert known.key_types == ("ecdsa-sha2-nistp256", "ssh-ed25519")
    assert known.standing(blob_of(keys["old"])) == "known"
    assert known.standing(blob_of(keys["new"])) == "changed"


def test_a_revoked_key_is_refused_even_where_it_is_known(file: Path, keys: dict[str, Key]) -> None:
    file.write_text(f"gpu1 {public(keys['old'])}\n@revoked * {public(keys['old'])}\n")
    assert look_up("gpu1", [file]).standing(blob_of(keys["old"])) == "revoked"


def test_an_authority_is_no_host_key(file: Path, keys: dict[str, Key]) -> None:
    file.write_text(f"@cert-authority gpu* {public(keys['old'])}\n")
    known = look_up("gpu1", [file])
    assert known.has_authority
    assert known.standing(blob_of(keys["old"])) == "unknown"
    assert not look_up("alpha", [file]).has_authority


def test_broken_lines_are_skipped(file: Path, keys: dict[str, Key]) -> None:
    file.write_bytes(
        b"\xff\xfe\x00\n# comment\n\ngpu1\ngpu1 ssh-ed25519\ngpu1 ssh-ed25519 AAAA!\n"
        b"gpu1 ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAA\n|1|x|y ssh-ed25519 AAAA\n"
        + f"gpu1 {public(keys['old'])} a comment\n".encode()
    )
    assert [entry.line for entry in look_up("gpu1", [file]).keys] == [9]


def test_all_files_count_and_missing_ones_do_not(
    file: Path, tmp_path: Path, keys: dict[str, Key]
) -> None:
    other = tmp_path / "global"
    other.write_text(f"gpu1 {public(keys['old'])}\n")
    assert look_up("gpu1", [file, other]).standing(blob_of(keys["old"])) == "known"


def test_replacing_takes_a_name_out_of_a_list_and_keeps_mode_and_link(
    file: Path, tmp_path: Path, keys: dict[str, Key]
) -> None:
    real = tmp_path / "dotfiles"
    old, other = public(keys["old"]), public(keys["other"])
    hashed = f"x {other}\n"
    real.write_text(f"# mine\nalpha,gpu1,beta {old} me\r\n{hashed}gpu1 {other}\ngpu* {other}")
    real.chmod(0o644)
    file.symlink_to(real)
    new = blob_of(keys["new"])
    assert replace(file, "gpu1", new) == 2
    assert real.read_bytes().decode() == (
        f"# mine\ngpu1 {new.text}\nalpha,beta {old} me\r\n{hashed}gpu* {other}"
    )
    assert file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o644
    assert list(tmp_path.iterdir()) == [real]


def test_replacing_what_is_not_there_writes_nothing(file: Path, keys: dict[str, Key]) -> None:
    file.write_text("alpha,beta x\n")
    before = file.stat().st_mtime_ns
    assert replace(file, "gpu1", blob_of(keys["new"])) == 0
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("blob", [b"", b"\0\0\0\xff", b"\0\0\0\x0bssh-ed25519"])
def test_bytes_that_are_no_key_are_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="not a public key"):
        HostKey.from_blob(blob)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.binary(max_size=300))
def test_whatever_stands_there_is_kept_to_the_byte(
    before: bytes, tmp_path: Path, keys: dict[str, Key]
) -> None:
    path = tmp_path / "known_hosts"
    path.write_bytes(before)
    old, new = blob_of(keys["old"]), blob_of(keys["new"])
    accept(path, "[203.0.113.7]:40022", old)
    newline = b"\n" if before and not before.endswith(b"\n") else b""
    line = f"[203.0.113.7]:40022 {old.text}\n".encode()
    assert path.read_bytes() == before + newline + line
    assert look_up("[203.0.113.7]:40022", [path]).standing(old) == "known"
    assert replace(path, "[203.0.113.7]:40022", new) == 1
    assert path.read_bytes() == before + newline + line.replace(
        old.text.encode(), new.text.encode()
    )
