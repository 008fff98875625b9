"""Exceptions of MindRecord files and their writers, with MindSpore's names.

All are MindRecordExceptions. Errors of arguments are also ValueErrors or TypeErrors, as everywhere
in this package. Errors of files, their sizes and indexes are also ValueErrors, and RuntimeErrors as
in MindSpore.
"""


class MindRecordException(Exception):
    """Base class of all errors of MindRecord files."""

    def __init__(self, error_msg=""):
        super().__init__(error_msg)
        self.error_msg = error_msg

    def __str__(self):
        return f"[{type(self).__name__}]: {self.error_msg}"


class UnknownError(MindRecordException):
    """An error of unknown kind."""


class _Value(MindRecordException, ValueError):
    """An argument out of range."""


class _Kind(MindRecordException, TypeError):
    """An argument of the wrong type."""


class _File(MindRecordException, ValueError, RuntimeError):
    """A file that cannot be used, or not in the requested way."""


class ParamValueError(_Value):
    """An argument is out of range."""


class ParamTypeError(_Kind):
    """An argument is of the wrong type."""


class ParamMissError(_Value):
    """An argument is missing."""


class PathNotExistsError(_Value):
    """There is no such path."""


class DbConnectionError(_File):
    """The index of a file cannot be opened."""


class MRMOpenError(_File):
    """A file cannot be opened, or is not a MindRecord file."""


class MRMOpenForAppendError(MRMOpenError):
    """A file cannot be appended to."""


class MRMInvalidPageSizeError(_File):
    """The size of pages is out of range, or too small for a row."""


class MRMInvalidHeaderSizeError(_File):
    """The size of the header is out of range, or too small for its content."""


class MRMSetHeaderError(_File):
    """A header cannot be written."""


class MRMWriteDatasetError(_File):
    """Rows cannot be written."""


class MRMCommitError(_File):
    """Files cannot be completed."""


class MRMLaunchError(_File):
    """A reader cannot be started."""


class MRMFinishError(_File):
    """A reader cannot be ended."""


class MRMCloseError(_File):
    """A file cannot be closed."""


class MRMAddSchemaError(_Value):
    """A schema cannot be added."""


class MRMAddIndexError(_File):
    """A field cannot be made an index."""


class MRMBuildSchemaError(_Value):
    """A schema cannot be made."""


class MRMGetMetaError(_File):
    """There is no schema."""


class MRMIndexGeneratorError(_File):
    """An index cannot be made."""


class MRMGenerateIndexError(_File):
    """An index cannot be written."""


class MRMInitSegmentError(_File):
    """Pages of rows cannot be read."""


class MRMFetchCandidateFieldsError(_File):
    """The fields of the index cannot be read."""


class MRMReadCategoryInfoError(_File):
    """The classes of rows cannot be counted."""


class MRMFetchDataError(_File):
    """Rows of a class cannot be read."""


class MRMInvalidSchemaError(_Value):
    """A schema is not valid."""


class MRMValidateDataError(_Value):
    """Rows do not agree with the schema."""


class MRMDefineIndexError(_Value):
    """A field cannot be an index."""


class MRMDefineBlobError(_Value):
    """A field cannot hold bytes."""


class MRMUnsupportedSchemaError(_Value):
    """A row does not agree with the schema of its file."""


class MRMDefineCategoryError(_Value):
    """Rows cannot be divided by this field."""
