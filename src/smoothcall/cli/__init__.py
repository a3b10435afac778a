"""The command line: one module a command, `output` for tables, JSON and progress, `main` for the entry point."""

from smoothcall.cli.main import cli, main

__all__ = ["cli", "main"]
