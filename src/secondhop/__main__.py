"""`python -m secondhop` is the command `secondhop`."""

from secondhop.interfaces.cli import main

main()
