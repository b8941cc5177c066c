"""Small libraries with one variant each, named after their behaviour; RR is 1 on the case `ties/none-tied`."""

from pathlib import Path

from fake_sheets import FAKE

SHEET = FAKE.replace("fake", "{name}").replace("Fake", "{name}") + '[profiles.v]\nRR = "standard"\n'
ADAPTER = """
import os
LIBRARY, PACKAGES, VARIANTS, MEASURES = "{name}", [], {{"v": ""}}, {{"RR": 1}}
CALLS = []
def load(): {load}
def observe(variant, data, call, values): {observe}
"""
RIGHT = "return None, 1.0 if data['run'] else 0.0"
LIBRARIES = {
    "right": ("return {'version': '1'}", RIGHT),
    "wrong": ("return {'version': '1'}", "return None, 0.25"),
    "raising": ("return {'version': '1'}", "raise ValueError('no <b>| value')"),
    "wavering": ("return {'version': '1'}", "CALLS.append(1); return None, 1.0 / len(CALLS)"),
    "failing": ("raise RuntimeError('broken')", RIGHT),
    "absent": ("import no_such_module_anywhere", RIGHT),
    "newer": ("return {'version': '2'}", RIGHT),
}
"""Library -> the behaviour of `load` and `observe`."""


def write_library(folder: Path, name: str, like: str = "") -> None:
    """Write the adapter and the sheet of a library that behaves as its name, or `like`, says."""
    load, observe = LIBRARIES[like or name]
    (folder / f"{name}_adapter.py").write_text(ADAPTER.format(name=name, load=load, observe=observe), encoding="utf-8")
    (folder / f"{name}.toml").write_text(SHEET.format(name=name), encoding="utf-8")
