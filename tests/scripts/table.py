"""Reads the tables of networks (`networks/*.txt`): one case per line, fields between bars.

    FOLDERS | IMPORTS | NETWORK | INPUTS | KEY: EXPRESSION | ...

FOLDERS are added to the path in this order, relative to the folder of the scripts; the first is the
working directory. INPUTS may call what `harness.Kit` has (`randn(2, 3)`). A line that ends in a
backslash continues on the next. Further fields:

    cell: the network with a loss, made from `net`; the network itself by default
    step: the training cell, made from `cell` and `weights`; by default Momentum on `cell`
    train: the inputs of `step`; by default a synthetic loss of the network's own outputs
    loop: how many steps to train, 2 by default
    graph: set if the graph and PyNative modes of 2.10 disagree, with the reason; both modes are
        then compared with its PyNative result
    tolerance: a wider tolerance than that of `runner.differences`, with the reason
"""

import pathlib
import types

from scripts import harness

HERE = pathlib.Path(__file__).parent
PUBLIC = ("nn", "ops", "amp", "common", "train")


def read(path):
    text = path.read_text().replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield case([field.strip() for field in line.split("|")])


def cases():
    """All cases of all tables by name; a name is the folder and the network."""
    found = {}
    for path in sorted((HERE / "networks").glob("*.txt")):
        for row in read(path):
            assert row.name not in found, f"two cases are named {row.name}"
            found[row.name] = row
    return found


def case(fields):
    folders, imports, network, inputs = fields[:4]
    options = dict(field.split(":", 1) for field in fields[4:])
    options = {key.strip(): value.strip() for key, value in options.items()}
    folders = folders.split()
    name = folders[0] + " " + network
    if "step" in options:
        name += " " + options["step"].partition("(")[0]
    return types.SimpleNamespace(
        name=name,
        folders=folders,
        same_in_graph_mode="graph" in options and options.pop("graph"),
        tolerance=float(options.pop("tolerance", "0").split()[0]) or None,
        function=lambda kit: follow(kit, imports, network, inputs, **options),
    )


def follow(kit, imports, network, inputs, cell=None, step=None, train=None, loop="2"):
    ms = kit.ms
    names = {"ms": ms, "np": harness.np, **{name: getattr(ms, name) for name in PUBLIC}}
    kit_names = "randn rand randint ones zeros tensor settings module root"
    names.update((name, getattr(kit, name)) for name in kit_names.split())
    exec(imports, names)
    kit.made = 0
    net = names["net"] = kit.init(eval(network, names))
    given = eval(f"({inputs})", names) if inputs else None
    if train is None:
        return harness.train(kit, net, given, steps=int(loop))
    if given is not None:
        net.set_train(False)
        kit.out(net(*given))
    whole = names["cell"] = eval(cell, names) if cell else net
    weights = names["weights"] = whole.trainable_params()
    trainer = (
        eval(step, names)
        if step
        else ms.nn.TrainOneStepCell(whole, ms.nn.Momentum(weights, 1e-3, 0.9))
    )
    trainer.set_train()
    kit.losses(trainer, int(loop), *eval(f"({train})", names))
    kit.weights(net)
    return None
