"""Batches: arrays whose leading axis is hidden, and ops that run slice by slice instead."""
