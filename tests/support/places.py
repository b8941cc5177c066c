"""Folders of the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
