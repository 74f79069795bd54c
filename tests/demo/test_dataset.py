"""The drawn data set is one that LibreYOLO can train on."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from tui.demo.dataset import CLASSES, SIZE, draw_dataset


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("data") / "shapes"
    draw_dataset(directory, train=6, val=3)
    return directory


def test_every_image_has_its_labels(dataset: Path) -> None:
    for part, count in (("train", 6), ("val", 3)):
        images = {path.stem for path in (dataset / "images" / part).glob("*.png")}
        labels = {path.stem for path in (dataset / "labels" / part).glob("*.txt")}
        assert images == labels
        assert len(images) == count


def test_labels_are_boxes_inside_the_image(dataset: Path) -> None:
    for path in dataset.glob("labels/*/*.txt"):
        lines = path.read_text().splitlines()
        assert lines
        for line in lines:
            kind, x, y, width, height = (float(word) for word in line.split())
            assert int(kind) in range(len(CLASSES))
            assert x - width / 2 >= 0 and x + width / 2 <= 1
            assert y - height / 2 >= 0 and y + height / 2 <= 1


def test_an_image_shows_its_shape_where_the_label_says(dataset: Path) -> None:
    for labels in dataset.glob("labels/*/*.txt"):
        image = dataset / "images" / labels.parent.name / f"{labels.stem}.png"
        pixels = decode(image.read_bytes())
        for line in labels.read_text().splitlines():
            _, x, y, *_ = (float(word) for word in line.split())
            assert min(pixels[int(y * SIZE)][int(x * SIZE)]) >= 140


def test_the_same_seed_draws_the_same_pictures(dataset: Path, tmp_path: Path) -> None:
    draw_dataset(tmp_path / "again", train=1, val=1)
    picture = Path("images/train/train000.png")
    assert (tmp_path / "again" / picture).read_bytes() == (dataset / picture).read_bytes()


def test_data_yaml_names_the_parts_and_the_classes(dataset: Path) -> None:
    text = (dataset / "data.yaml").read_text()
    assert f"path: {dataset}\n" in text
    assert "0: circle" in text and "1: square" in text


def decode(data: bytes) -> list[list[tuple[int, int, int]]]:
    """Read a PNG as its specification says: signature, chunks with checksums, zlib rows."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        assert checksum == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (width, height, depth, colour) == (SIZE, SIZE, 8, 2)
    raw, stride = zlib.decompress(chunks[b"IDAT"]), 1 + 3 * width
    rows = [raw[y * stride : (y + 1) * stride] for y in range(height)]
    assert all(row[0] == 0 for row in rows)
    return [[(r[i], r[i + 1], r[i + 2]) for i in range(1, stride, 3)] for r in rows]
