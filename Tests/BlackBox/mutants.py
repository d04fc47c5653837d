#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes broken copies of files: mutants.py FOLDER COPIES FILE…; the same ones each time."""
import pathlib
import random
import sys


def flipped(data, dice):
    data = bytearray(data)
    for _ in range(dice.randrange(1, 40)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    return bytes(data)


def damaged_head(data, dice):
    head = bytearray(data[:512])
    for _ in range(dice.randrange(1, 12)):
        head[dice.randrange(len(head))] = dice.choice((0, 1, 0x7F, 0x80, 0xFF))
    return bytes(head) + data[512:]


def cut(data, dice):
    return data[: dice.randrange(len(data))]


def gap(data, dice):
    start = dice.randrange(len(data))
    return data[:start] + data[start + dice.randrange(len(data) - start):]


def doubled(data, dice):
    start = dice.randrange(len(data))
    return data[:start] + data[start // 2:]


def noise(data, dice):
    start = dice.randrange(len(data))
    return data[:start] + dice.randbytes(dice.randrange(1, 4096)) + data[start:]


KINDS = (damaged_head, cut, flipped, gap, doubled, noise)
folder, copies = pathlib.Path(sys.argv[1]), int(sys.argv[2])
for name in sys.argv[3:]:
    original = pathlib.Path(name)
    for number in range(copies):
        dice = random.Random(f"{original.name} {number}")
        kind = KINDS[number % len(KINDS)]
        (folder / f"{original.stem}-{kind.__name__}-{number}{original.suffix}").write_bytes(kind(original.read_bytes(), dice))
