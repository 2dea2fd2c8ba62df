"""The commands.

A `SecondhopError` of any function here ends its command with one line (`exit_status.py`), so their
docstrings do not list errors.
"""
