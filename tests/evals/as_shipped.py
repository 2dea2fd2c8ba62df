"""Options for tests that measure what ships: no variables, no language model."""

from secondhop.cli.options import Common

AS_SHIPPED = Common(llm="offline", embedder="default", json=True)
