"""Explanations of why two numbers or two signatures differ."""
