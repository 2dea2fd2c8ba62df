"""`python -m secondhop` is the command `secondhop`."""

from secondhop.cli.app import main

main()
