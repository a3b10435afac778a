"""Hold'em cards at speed: boards up to suit isomorphism, hand evaluator, hand strength, equity, abstraction."""
