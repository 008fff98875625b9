"""The kinds of cases: how each is made from the specs, and what a worker observes for it."""
