"""Many hands at once: batches of hands, and freezeouts, in which chips carry over from hand to hand."""
