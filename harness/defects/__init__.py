"""Defects: named errors that no convention is, and which of them explains answers that no convention does.

A defect is a broken formula on top of the right one; the catalogue has one file for each.
"""
