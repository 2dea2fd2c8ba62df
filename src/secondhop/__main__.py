"""Runs the command `secondhop` for `python -m secondhop`."""

from secondhop.cli.app import main

main()
