"""Work divided over many machines with Ray (extra `cluster`). Ray is imported when a cluster is asked for, and not before."""
