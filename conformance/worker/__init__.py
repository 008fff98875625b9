"""The process that imports the implementation under test and makes the calls."""
