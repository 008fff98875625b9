"""Conditions that no argument carries: files, devices, communication, order of calls.

Each has a label. A case can be made of them only where the runner knows how to bring the condition about.
"""
import re

_STATES = [(re.compile(pattern, re.I), label) for label, pattern in [
    ("communication not ready", r"^device target is invalid, or backend is invalid, or distributed initialization fails$|^backend is invalid, or distributed initialization fails$|"
     r"^(?:hccl|nccl|mccl|hccl/nccl/mccl|hccl/nccl)(?:, \w+)* is not available\b.*$|^distributed init\w* (?:fails|failed)$|^backend is invalid$|"
     r"^device target is invalid$|^hccl is not available or mindspore is (?:gpu/cpu|cpu/gpu|cpu|gpu) version$|^communication (?:has not been|is not|not) initiali[sz]ed$|"
     r"^(?:distributed )?(?:communication|environment) (?:fails to|failed to|is failed to|is not) (?:be )?initiali[sz]ed?$|^init\w* (?:fails|failed)$|.*environment variables? .*(?:not (?:set|exported|configured)).*"),
    ("no data files", r"^(?:‹\w+›|\w+)(?: is (?:invalid|not valid)(?: or does not exist)? or)? does not contain (?:data|any|valid)? ?(?:data )?files?$|^(?:‹\w+› )?(?:is not valid or )?(?:does not|not) exists? or does not contain (?:data )?files$"),
    ("too many threads", r"^(?:‹\w+›|\w+) > max (?:thread|threads) (?:numbers?|count)$|^(?:‹\w+›|\w+) > max number of threads$"),
    ("file cannot be used", r"^(?:failed|fail) to (?:open|read|write|load|create|set|get|add|fetch|launch|commit|build|define|generate|parse)\b.*$|"
     r"^.* (?:file|files|checkpoint|path|directory|json) .*(?:failed|fails|does not exist|is missing|cannot be|is incorrect|is not found|is corrupted|is empty|unreadable).*$|"
     r"^cannot open (?:JSON |a )?file$|^(?:parsing|opening|reading|loading|writing|unzipping) .* (?:failed|fails)$|^(?:‹\w+›|.*\b(?:file|path|directory|files|dir)) (?:does not exists?|not exists?|do not exist|is not found|cannot be (?:found|opened|read|parsed|accessed))\b.*$|"
     r"^‹\w+›(?:, ‹\w+›)*(?: or ‹\w+›| and ‹\w+›)? (?:is not valid or does not exist|does not exist or is not .*|is an invalid path|path is invalid|path is incorrect|permission denied)$|"
     r"^.*\b(?:file|path)\b.* (?:is not (?:valid|accessible|readable|writable|a regular file)|is invalid)$|^data does not match blob fields$|^(?:schema|index field) is invalid$"),
    ("called out of order", r"^.* (?:is not called first|has not been called|is called (?:before|after)|before calling|is not (?:started|created|initiali[sz]ed|built|called|registered|compiled)|not initialized|has not been (?:created|initiali[sz]ed|started|called|set)|"
     r"called (?:before|after|more than|multiple|repeatedly|twice)|repeatedly called|can only be called|should be called|must be called).*$|^.*\bcall(?:ed)? .* (?:before|after|first|outside|multiple times|out of order)\b.*$"),
    ("wrong mode or device", r"^.*\b(?:graph mode|pynative mode|PYNATIVE_MODE|GRAPH_MODE|parallel mode|jit_level|device target|device_target|hardware|backend|platform|operating system|Windows|Linux|MacOS|Ascend|GPU|CPU)\b.* "
     r"(?:is not|does not|cannot|not support\w*|is invalid|only|unsupported).*$|^.*(?:is not supported on|only supported on|not support\w* on|on) ‹?(?:Ascend|CPU|GPU|Windows)›? ?(?:platform|device|backend)?.*$|"
     r"^mode is not graph mode$|^not in GRAPH_MODE$|^(?:optimizer|pipeline) parallel is used when using AdaSum$|^MindSpore runs on .*$"),
    ("bad values among arguments", r"^(?:any arg is of wrong type|(?:the )?(?:input )?(?:arguments?|inputs?) (?:has|have|is of) types? not specified above|(?:input )?(?:arguments?|inputs?) have (?:the )?(?:wrong|invalid|unsupported) types?)$"),
    ("name clash", r"^.*\b(?:key|name|attribute|parameter|op|node|class)\b.* (?:already exists?|exists? already|is (?:already )?(?:occupied|registered|defined|duplicated)|same-as|conflicts?|is not unique|duplicat\w+).*$"),
    ("key not known", r"^.*\b(?:key|keyword|name|attribute|context)\b.* (?:is not (?:recognized|an attribute|found|in|a valid|a key|one of|supported)|does not exist|not in|not found|unrecognized|not recognized).*$"),
    ("rank outside the group", r"^(?:‹\w+› )?(?:process )?(?:local )?rank (?:id|ID) (?:of )?.*(?:same-as|>|<|in range|in group).*$|^‹\w+› process rank id is same-as current process$|^rank ID of process .*$"),
    ("too few samples", r"^(?:sample size|total number(?: of samples)?|number of samples|number of labels|class numbers of .*) (?:is|does not|is different) .*$"),
    ("no output left", r"^(?:output shape after padding <= 0|.*size of output feature map > 0.*|.*output formula.*|value of padding cannot cause .*|‹\w+› cannot > size of input feature map)$"),
    ("time limit", r"^.*(?:runs out of time|time ?out|timed out|exceeds the timeout).*$"),
    ("internal failure", r"^[Ff]ailed to .*$|^.* (?:fails|failed|internal error|crash\w*|execution error)$|^.*(?:limitation of (?:the )?L1 cache|out of memory|insufficient memory|version of CANN).*$"),
]]


SURE = {"communication not ready", "no data files", "too many threads", "bad values among arguments"}


def state_of(text, sure):
    """The label of a condition outside the arguments, or None.

    `sure` asks only for those that the clause grammar would take apart wrongly, and which are therefore asked first.
    """
    for pattern, label in _STATES:
        if sure == (label in SURE) and pattern.match(text):
            return label
    return None
