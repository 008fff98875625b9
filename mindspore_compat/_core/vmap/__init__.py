"""vmap: arrays with a hidden leading axis, and operators that run slice by slice instead."""
