"""A small data set of drawn shapes in YOLO format, made without any image library.

Layout as LibreYOLO reads it: ``data.yaml``, ``images/{train,val}/*.png`` and, for each image, a
``labels/{train,val}/*.txt`` with one line per object: class, then centre and size of the box as
fractions of the image.
"""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

CLASSES = ("circle", "square")
SIZE = 96
"""Width and height of an image in pixels."""

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Shape:
    """One object: ``kind`` indexes CLASSES; centre and half width in pixels."""

    kind: int
    x: int
    y: int
    half: int
    colour: Colour

    def covers(self, x: int, y: int) -> bool:
        """Whether a pixel belongs to the shape."""
        across, down = x - self.x, y - self.y
        if self.kind == 0:
            return across * across + down * down <= self.half * self.half
        return abs(across) <= self.half and abs(down) <= self.half

    def touches(self, other: Shape) -> bool:
        """Whether the boxes of two shapes overlap."""
        room = self.half + other.half + 1
        return abs(self.x - other.x) < room and abs(self.y - other.y) < room

    def label(self) -> str:
        """The object's line in a YOLO label file."""
        width = (2 * self.half + 1) / SIZE
        return (
            f"{self.kind} {(self.x + 0.5) / SIZE:.6f} {(self.y + 0.5) / SIZE:.6f} "
            f"{width:.6f} {width:.6f}"
        )


def draw_dataset(directory: Path, train: int = 48, val: int = 16, seed: int = 7) -> Path:
    """Draw ``train`` + ``val`` images below ``directory``; returns the path of its data.yaml."""
    chance = random.Random(seed)
    for part, count in (("train", train), ("val", val)):
        images, labels = directory / "images" / part, directory / "labels" / part
        images.mkdir(parents=True)
        labels.mkdir(parents=True)
        for number in range(count):
            shapes = _scene(chance)
            name = f"{part}{number:03}"
            (images / f"{name}.png").write_bytes(_picture(shapes, chance))
            (labels / f"{name}.txt").write_text("".join(s.label() + "\n" for s in shapes))
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(CLASSES))
    data = directory / "data.yaml"
    data.write_text(f"path: {directory}\ntrain: images/train\nval: images/val\nnames:\n{names}")
    return data


def _scene(chance: random.Random) -> list[Shape]:
    """One or two shapes that do not overlap."""
    shapes: list[Shape] = []
    wanted = chance.randint(1, 2)
    while len(shapes) < wanted:
        half = chance.randint(SIZE // 10, SIZE // 5)
        x, y = (chance.randint(half, SIZE - 1 - half) for _ in range(2))
        shape = Shape(chance.randrange(len(CLASSES)), x, y, half, _bright(chance))
        if not any(shape.touches(other) for other in shapes):
            shapes.append(shape)
    return shapes


def _bright(chance: random.Random) -> Colour:
    return chance.randint(140, 255), chance.randint(140, 255), chance.randint(140, 255)


def _picture(shapes: list[Shape], chance: random.Random) -> bytes:
    """The PNG of ``shapes`` on a dark, slightly noisy ground."""
    rows = bytearray()
    for y in range(SIZE):
        rows.append(0)  # PNG filter type "none"
        for x in range(SIZE):
            shape = next((shape for shape in shapes if shape.covers(x, y)), None)
            rows += bytes(shape.colour if shape else [chance.randint(20, 60)] * 3)
    return png(SIZE, SIZE, bytes(rows))


def png(width: int, height: int, rows: bytes) -> bytes:
    """An 8-bit RGB PNG; ``rows`` holds for each row its filter byte and 3 bytes per pixel."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
