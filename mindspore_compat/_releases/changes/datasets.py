"""Changes of datasets and MindRecord files; the earlier meanings are in `_releases/datasets.py`."""

from .change import Change

ROWS = [
    Change(
        "2.0",
        "dataset.Dataset.map",
        "`column_order` orders the columns of the result.",
        "There is no `column_order`; `project` orders columns.",
        "dataset:Dataset.map",
        "datasets.with_column_order",
        "pairs().map(lambda a: a, ['a'], column_order=['b', 'a']).get_col_names()",
        "['b', 'a']",
        "TypeError",
    ),
    Change(
        "2.0",
        "dataset.Dataset.batch",
        "`column_order` orders columns, `pad_info` pads them.",
        "`project` orders columns, `padded_batch` pads them.",
        "dataset:Dataset.batch",
        "datasets.with_pad_info",
        "next(iter(pairs().batch(2, pad_info={'a': ([3], 0)})))[0].shape",
        "(2, 3)",
        "TypeError",
    ),
    *(
        Change(
            "2.0",
            f"dataset.vision.{name}",
            "A `padding` of two numbers is (left and top, right and bottom).",
            "A `padding` of two numbers is (left and right, top and bottom).",
            f"dataset.vision:{name}.__init__",
            "datasets.pads_of_two_sides",
            f"vision.{call}.shape",
            was,
            gives,
        )
        for name, call, was, gives in (
            ("Pad", "Pad((1, 2))(picture)", "(7, 7, 3)", "(8, 6, 3)"),
            ("RandomCrop", "RandomCrop((7, 7), (1, 2))(picture)", "(7, 7, 3)", "RuntimeError"),
            (
                "RandomCropWithBBox",
                "RandomCropWithBBox((7, 7), (1, 2))(picture, box)[0]",
                "(7, 7, 3)",
                "RuntimeError",
            ),
        )
    ),
    *(
        Change(
            "2.3",
            f"mindrecord.FileWriter.{name}",
            "Returns `mindrecord.SUCCESS`, which is 0.",
            "Returns None.",
            f"mindrecord:FileWriter.{name}",
            "datasets.with_status",
            f"result_of_writer('{name}')",
            "0",
            "None",
        )
        for name in (
            "add_schema",
            "add_index",
            "set_header_size",
            "set_page_size",
            "write_raw_data",
            "commit",
        )
    ),
    Change(
        "2.3",
        "mindrecord.CsvToMR.transform",
        "Returns `mindrecord.SUCCESS`, which is 0, as the other converters do.",
        "Returns None.",
        """mindrecord:CsvToMR.transform mindrecord:Cifar10ToMR.transform
        mindrecord:Cifar100ToMR.transform mindrecord:ImageNetToMR.transform
        mindrecord:MnistToMR.transform mindrecord:TFRecordToMR.transform""",
        "datasets.with_status",
        "result_of_converter()",
        "0",
        "None",
    ),
    Change(
        "2.6",
        "dataset.MindDataset",
        "Each process reads a block of rows.",
        "Each process reads every `num_shards`-th row.",
        "dataset:MindDataset.__init__",
        "datasets.in_blocks",
        "rows_of_shard()",
        "[3, 4, 0]",
        "[1, 3, 0]",
    ),
]
