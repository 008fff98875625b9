"""Inputs that once made a reader fail: (reader, file, content)."""

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

# The error must name the damaged file itself, not only a file that it refers to: (reader, file,
# content).
NAMED = [
    ("CelebADataset", "celeba/list_attr_celeba.txt", b"1\nHat\n\0.jpg 1\n"),
    ("FlickrDataset", "flickr/tokens.txt", b"\0.jpg#0\ta word\n"),
    ("Food101Dataset", "food101/meta/train.txt", b"a/\0\n"),
    ("KITTIDataset", "kitti/data_object_label_2/training/label_2/000000.txt", b"Car 1 2\n"),
    (
        "KITTIDataset",
        "kitti/data_object_label_2/training/label_2/000000.txt",
        b"Car x" + b" 1" * 13,
    ),
    ("PhotoTourDataset 1", "phototour/liberty/m50_100000_100000_0.txt", b"\n"),
    ("PhotoTourDataset 1", "phototour/liberty/m50_100000_100000_0.txt", b"0 1 0 99999 1 0 0\n"),
    ("SBDataset", "sbd/val.txt", b"\0\n"),
    ("SBUDataset", "sbu/SBU_captioned_photo_dataset_urls.txt", b"\n\n"),
    ("VOCDataset", "voc/ImageSets/Segmentation/train.txt", b"\n"),
    ("VOCDataset 1", "voc/ImageSets/Main/train.txt", b"\0\n"),
    *(
        ("WIDERFaceDataset", "widerface/wider_face_split/wider_face_train_bbx_gt.txt", content)
        for content in (b"a\n1\n1 2 3\n", b"a\n1\n1 2 3 4 5 6 7 8 9 99999999999\n")
    ),
]
