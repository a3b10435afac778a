"""How good is a policy."""
