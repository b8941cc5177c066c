"""Explain why two numbers, or two signatures, differ."""
