"""Explaining: in what two numbers, or two signatures, differ, and the simplest case that shows it."""
