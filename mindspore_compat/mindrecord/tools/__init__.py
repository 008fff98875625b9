"""`mindspore.mindrecord.tools`: converters of other datasets to MindRecord files."""
