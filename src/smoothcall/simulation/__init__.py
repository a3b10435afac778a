"""Many hands at once: batches of hands, freezeouts (hands with chips carried over), observations and policies on batches of
them.
"""
