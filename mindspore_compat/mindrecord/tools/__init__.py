"""`mindspore.mindrecord.tools`: MindRecord files made from other data sets."""
