"""Plants faults in an implementation, one at a time, and counts how many the cases find."""
