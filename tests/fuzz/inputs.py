"""Inputs that a reader once treated wrongly: (reader, file, content)."""

_DEEP = b"[" * 100_000
_BOTH = b'"train": false, "result": true'

INPUTS = [
    ("vocab", "lines.txt", b"one\ntwo\none\n"),
    ("bound_cores", "bind.json", b'{"bind_cpu": {"device0": {"main": "0-92233724775809"}}}'),
    ("csv_to_mindrecord", "table.csv", b"c,b,c\n1,2,3\n"),
    ("cifar10_to_mindrecord", "test_batch", b"\x80\x02}r\xff\xff\xff\x7f."),
    (
        "cifar10_to_mindrecord",
        "test_batch",
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(L999999999999L\ntS'b'\ntR.",
    ),
    (
        "tfrecord schema",
        "schema.json",
        b'{"numRows": 99999999999999999999, "columns": {"ids": {"type": "int64", "shape": [3]}}}',
    ),
    ("tfrecord schema", "schema.json", b'{"numRows": 3.5, "columns": {"ids": {"type": "int64"}}}'),
    ("jieba", "words.txt", b"a" * 150_000 + b" 1 n\nb 1 n\n"),
    ("jieba", "words.txt", b"a -1 n\nb -1 n\n"),
    ("jieba", "more.txt", b"a 99999999999999999999\n"),
    ("jieba", "more.txt", b"a " + b"1" * 5000 + b"\n"),
    ("sentence_pieces", "m.model", b""),
    ("deserialize", "pipeline.json", _DEEP),
    ("deserialize", "pipeline.json", b"[]"),
    ("deserialize", "pipeline.json", b'{"op_type": "Repea", "children": []}'),
    ("encrypted_mindrecord", "rows.mindrecord", bytes(4) + b"AES-GCMENCRYPT"),
    ("encrypted_mindrecord", "rows.mindrecord", b"\xff" * 4 + bytes(4) + b"AES-GCMENCRYPT"),
    ("strategy ckpt", "ckpt/s.ckpt", b"\x08\x01\x1a\x05\x0a\x01w\x12\x00"),
    *(
        ("strategy json", "json/s.json", b'{"parallel_layout_item": {"w": {%s}}}' % layout)
        for layout in (
            b'"dev_matrix": [2, 4], "tensor_map": [4294967296, 0]',
            b'"dev_matrix": [2, 4], "tensor_map": [{}, 0]',
            b'"dev_matrix": [2, null], "tensor_map": [1, 0]',
            b'"dev_matrix": [-2, 1], "tensor_map": [1, 0]',
            b'"dev_matrix": [2, 4294967296], "tensor_map": [1, 0]',
        )
    ),
    ("unified_folder", "param_name_map.json", b'{"weight_map": {"weight": "no.safetensors"}}'),
    ("dynamic_profiler", "profiler_config.json", _DEEP),
    *(
        (name, f"coco/{file}.json", b'{"images": [], "annotations": [], "categories": %s}' % value)
        for name, file in (("CocoDataset", "instances"), ("CocoDataset 3", "panoptic"))
        for value in (b"65535", b"false", b'[{"id": 1, "isthing": 1, "name": []}]')
    ),
    ("LJSpeechDataset", "lj_speech/metadata.csv", b"/none|a|a\n"),
    ("VOCDataset 1", "voc/ImageSets/Main/train.txt", b"1\n/none\n"),
    ("landscape", "ckpt_dir/train_metadata.json", b"[]"),
    ("landscape", "ckpt_dir/train_metadata.json", b"{}"),
    *(
        (
            "landscape",
            "ckpt_dir/train_metadata.json",
            b'{"epoch_group": %s, "model_params_file_map": %s, "step_per_epoch": 4, "unit": "step",'
            b' "num_samples": 4, "landscape_size": 3, "create_landscape": {%s}}' % values,
        )
        for values in (
            (b"1", b"{}", _BOTH),
            (b'{"0": [1, 2, 3]}', b"{}", _BOTH),
            (b'{"0": [1, 2, 3]}', b'{"1": 1, "2": 1, "3": 1}', _BOTH),
            (b'{"0": [1, 2, 3]}', b'{"1": "no", "2": "no", "3": "no"}', _BOTH),
            (b'{"0": [1, 2, 3]}', b'{"1": "no", "2": "no", "3": "no"}', b""),
            (b'{"0": [1, 2, 3]}', b'{"1": "no", "2": "no", "3": "no"}', b'"train": false'),
        )
    ),
]
