"""`mindspore.mindrecord.common`: the errors of MindRecord files."""
