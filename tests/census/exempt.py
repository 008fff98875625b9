"""Operators that are exempt from some checks, each with its reason.

Nothing needs to be written if the reason can be tested (no float input or output, no random draw):
the tests see it in the operands and results.
"""

VMAP = "within vmap: tests/_core/test_vmap.py"
DIVIDED = "of a divided network: tests/_core/sharding"
COLLECTIVE = "collective: tests/communication"
FILES = {
    "_communication.all_to_all": COLLECTIVE,
    "_communication.neighbor_exchange": COLLECTIVE,
    "transfer": COLLECTIVE,
    "transfer_peers": COLLECTIVE,
    "by_slices": VMAP,
}
WHOLE = {
    "_transforms.vmap.enter_batch": VMAP,
    "_transforms.vmap.leave_batch": VMAP,
    "_attention.attention.attend_with_dropout": (
        "draws bits: tests/ops/attention/test_multi_head_attention_forward.py"
    ),
    "network.enter_op": DIVIDED,
    "network.leave_op": DIVIDED,
    "network.place_op": DIVIDED,
    "thor_layer.watched": "hands gradients to a layer: tests/nn/optim",
}
RANDOM = {
    f"_random.dropout.{name}"
    for name in (
        "dropout dropout1d dropout2d dropout2d_ext dropout2d_primitive dropout3d "
        "dropout3d_primitive dropout_ext dropout_primitive gumbel_softmax dropout_gen_mask"
    ).split()
}
CONSTANT = "numbers beside the attention, constant in MindSpore too"
NO_GRADIENT = {
    "_linalg.householder.geqrf": "has no gradient in MindSpore, and says so",
    "_attention.attention.attention_extent": CONSTANT,
    "_attention.inference.attend_bytes": "of bytes, whose weights are rounded: for inference only",
    "_attention.sparse_flash.chosen_extent": CONSTANT,
}
NO_SECOND = {}
REASONS = {"gradient": NO_GRADIENT, "second": {**NO_GRADIENT, **NO_SECOND}, "vmap": {}}


def reason(name, check):
    """Returns why an op is exempt from `check`, or None."""
    if name in RANDOM:
        return "random"
    file = name.rpartition(".")[0]
    return FILES.get(file) or WHOLE.get(name) or REASONS.get(check, {}).get(name)


def named():
    """Returns all ops that are named here."""
    return {*WHOLE, *RANDOM, *(name for group in REASONS.values() for name in group)}
