"""`python -m smoothcall` is `smoothcall`."""

from smoothcall.cli import main

main()
