"""Several boxes at once: each has a name and a mirror of its own."""

from __future__ import annotations

from tui.config.settings import Settings
from tui.fleet import join_boxes
from tui.targets import Names, parse_target


def test_all_boxes_of_the_configuration_in_its_order(names: Names) -> None:
    boxes = {name: names.settings.box[name] for name in ("lab", "gpu1", "desk")}
    everyone = join_boxes([], Names(Settings(box=boxes), names.cwd, names.ssh_hosts))
    assert [box.name for box in everyone] == ["lab", "gpu1", "desk"]


def test_boxes_that_a_person_named_have_names_of_their_own(names: Names) -> None:
    given = ["lab:run1", "lab:run1", "lab:run2", "root@h", "ann@h", "runs", "./runs/", "./gpu1"]
    assert [box.name for box in join_boxes(given, names)] == [
        "lab:run1",
        "lab:run2",
        "root@h",
        "ann@h",
        "runs",
        "gpu1",
    ]


def test_a_box_has_the_same_name_and_mirror_whichever_stands_first(names: Names) -> None:
    one, other = "ssh://root@h/A", "ssh://root@h/B"
    forth, back = join_boxes([one, other], names), join_boxes([other, one], names)
    assert [box.name for box in forth] == ["h:/A", "h:/B"]
    assert forth == back[::-1]
    assert {box.kept_as for box in (*forth, parse_target(one, names))} == {"ssh://root@h"}


def test_a_mirror_hangs_on_user_host_port_and_jump_host(names: Names) -> None:
    given = [
        *("root@h", "ann@h", "h.example", "root@h:2222", "root@2001:db8::5", "gw", "lab"),
        *("ssh -J one root@10.0.0.5", "ssh -J two root@10.0.0.5"),
    ]
    kept = [parse_target(text, names).kept_as for text in given]
    assert len(set(kept)) == len(given)
    assert kept[-3:] == ["lab", "ssh://root@10.0.0.5,jump=one", "ssh://root@10.0.0.5,jump=two"]
    assert "gw" not in kept
    assert {box.kept_as for box in join_boxes(["lab:run1", "lab:run2"], names)} == {"lab"}
