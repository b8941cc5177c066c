"""Meaning: what conventions, signatures and forms of measures stand for, whoever is asked.

signatures; which axes can decide an answer; which choices say the same; a profile in words
"""
