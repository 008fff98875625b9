"""Addresses of names in MindSpore's documentation, for links in the report."""

BASE = "https://www.mindspore.cn/docs/en/r2.10.0/api_python/"
# modules with one page for all names
SHARED = (
    "boost",
    "common.initializer",
    "communication",
    "communication.comm_func",
    "log",
    "mindrecord",
    "multiprocessing",
    "nn.probability",
    "rewrite",
    "utils",
)
FOLDERS = ("dataset.audio", "dataset.text", "dataset.transforms", "dataset.vision")


def address(name):
    """Returns the address of the page of a public name, with an anchor on a shared page."""
    full = f"mindspore.{name}"
    owner, _, last = name.rpartition(".")
    shared = [module for module in SHARED if name.startswith(module + ".")]
    if shared:
        return f"{BASE}mindspore.{max(shared, key=len)}.html#{full}"
    if owner == "Tensor":
        return f"{BASE}mindspore/Tensor/{full}.html"
    page = f"mindspore.{owner}" if owner.rpartition(".")[2][:1].isupper() else full
    fragment = f"#{full}" if page != full else ""
    return f"{BASE}{_folder(page.removeprefix('mindspore.'))}/{page}.html{fragment}"


def _folder(name):
    module = name.rpartition(".")[0]
    folder = next((f for f in FOLDERS if f"{module}.".startswith(f + ".")), None)
    return folder.replace(".", "_") if folder else module.partition(".")[0] or "mindspore"
