"""Sentences brought to one spelling before the grammar sees them: marks round names and literals, symbols for comparisons.

`plain(text)` returns text in which `‹x›` is a name, `«'a'»` a string, `<=` a comparison, and a few dozen synonyms
have been replaced by one word each. Chinese sentences come out in English words, so one grammar reads both.
"""
import re

_LITERAL = re.compile(r"^(?:[-+]?\d[\d.]*(?:e-?\d+)?|None|True|False|inf|nan)$")
_QUOTED = re.compile(r"``\s*(.+?)\s*``|`\s*(.+?)\s*`|(?<!\w)'([^']+)'(?!\w)|\"([^\"]+)\"|“([^”]+)”")
_ROLE = re.compile(r":(class|func|meth|attr|ref|obj|math|mod|py:class):`~?([^`]*)`")
_REPLACE = [(re.compile(pattern), new) for pattern, new in [
    (r"\b(?:doesn't|doesn’t|don't|don’t|didn't)\b", "does not"), (r"\b(?:isn't|aren't|isn’t|aren’t|wasn't)\b", "is not"),
    (r"\bdo not\b", "does not"), (r"\b(?:can't|can not|could not|couldn't|cannot be able to)\b", "cannot"),
    (r"\b(?:are|was|were|being)\b", "is"), (r"\bthere is (?:an? )?elements? in (.+?) that is\b", r"elements in \1 is"),
    (r"\bin not\b", "is not"), (r"\bis not be\b", "is not"), (r"\bis both\b", "is"),
    (r"\bthe (?:init argument|init parameter|input tensor|input parameter|input argument|parameter|argument|arg|input|param|attr|attribute|specified|value of argument|specified) (?=‹)", ""),
    (r"\b(?:input tensor|input parameter|input argument|parameter|argument|arg|input|param|attr|attribute|specified|Tensor|tensor|given) (?=‹)", ""),
    (r"(?<=›) (?:parameter|argument|tensor|value|attribute)(?= is\b| <| >| =)", ""),
    (r"\b(?:data types?|dtypes|data-types?|type/dtype|data type/dtype|Data types?|type of data)\b", "dtype"),
    (r"\bdtype type\b", "dtype"), (r"\binput dtype\b", "dtype"),
    (r"\b(?:number of dimensions|numbers? of (?:the )?dimensions?|length of (?:the )?shape|shape rank|shape size|shape length|size of (?:the )?shape|rank of (?:the )?shape|"
     r"shape dimensions?|dimension numbers?|dims of shape|dimensions? of (?:the )?shape|shape's length|dimensionality)\b", "rank"),
    (r"\bthe (?:rank|ndim|dims|dim) of\b", "rank of"), (r"\bdimensions? of(?= (?:the )?(?:input )?‹)", "rank of"),
    (r"\b(?:ndims?|dims|ranks|dimensions)\b(?=.* is\b| <| >| [=!]=|.* of )", "rank"),
    (r"\bnot (?:less|smaller|lower) than\b", ">="), (r"\bnot (?:greater|larger|bigger|more|higher) than\b", "<="),
    (r"\b(?:less|smaller|lower|fewer)(?: than)? or equals?(?: to| than)?\b", "<="), (r"\b(?:equal to or less than|equal or less than|less or equal to)\b", "<="),
    (r"\b(?:greater|larger|bigger|more|higher)(?: than)? or equals?(?: to| than)?\b", ">="), (r"\b(?:equal to or greater than|equal or greater than|greater or equal to)\b", ">="),
    (r"\b(?:less|smaller|lower|fewer) than\b", "<"), (r"\b(?:greater|larger|bigger|more|higher) than\b", ">"),
    (r"\bmust (?:be )?>=", "is <"), (r"\bmust (?:be )?>", "is <="),
    (r"\bnot (?:equal|equals) (?:to|with)\b|\bnot equal\b|\bdoes not equal(?: to)?\b|\bunequal to\b", "!="), (r"\b(?:equals?|equal) to\b|\bequals\b", "=="),
    (r"\bexceeds?\b|\bexceeded\b", ">"), (r"\b(?:non-positive|nonpositive|not positive|not a positive(?: number| integer| value| int)?|negative (?:number |value )?or (?:0|zero)|not an? positive \w+)\b", "<= 0"),
    (r"\bnot larger 0\b", "<= 0"), (r"\b(?:not negative|non-negative|nonnegative)\b(?: integer| number| value)?", ">= 0"),
    (r"\b(?:a )?negative(?: number| value| integer)?\b", "< 0"), (r"\bnon-zero\b|\bnonzero\b", "!= 0"),
    (r"\bpositive(?: number| value| integer)?\b", "> 0"),
    (r"\bis is\b", "is"), (r"\bis (?=[<>=!]=?\s)", ""), (r"\bzero\b", "0"),
    (r"\bthe same\b(?! as| with| size| length| time)", "equal"), (r"\b(?:the )?same (?:as|with)\b|\bequal with\b|\bconsistent with\b|\bidentical to\b|\baligned with\b", "same-as"),
    (r"\b(?:one|any|none) of (?:the )?(?:following|following types|following values|following types?)\b(?: \w+)?\s*:?", "one of"),
    (r"\bnone of\b", "not one of"), (r"\bnot (?:within|among)\b", "not in"), (r"\bwithin\b", "in"),
    (r"\b(?:the )?(?:valid |supported )?(?:set|list|range|interval|ranges) of (?=[\[({«‹\d-])", "range "), (r"\bthe (?:range|interval|scope)\b", "range"),
    (r"\bout of range\b(?: of)?", "not in range"), (r"\bout of (?=[\[(])", "not in range "), (r"\boutside\b", "not in"), (r"\bbeyond the range\b(?: of)?", "not in range"),
    (r"\b(?:range|scope) of\b", "range"), (r"\bin range between\b|\bin between\b|\bbetween\b", "in-between"),
    (r"\bcannot be (?:broadcast|broadcasted|broadcastable)\b|\bcannot broadcast\b|\bis not (?:broadcastable|broadcast|able to broadcast|broadcasted)\b|\bnot broadcastable\b|\bfails? to broadcast\b|"
     r"\bdoes not (?:meet|conform to) (?:the )?broadcast(?:ing)? (?:rules?|conditions?)\b", "unbroadcastable"),
    (r"\b(?:if|when) given\b|\(if given\)|\(optional\)", ""), (r"\b[Tt]he\b ?", ""), (r"\bcurrently\b|\balready\b|\balso\b|\bactually\b", ""),
    (r"\bisn't\b", "is not"), (r"\bNone type\b", "None"), (r"\bits\b", "its"), (r"\bthe device target is\b", "device target is"),
    (r"\bthere is duplicate elements in (.+)$", r"\1 has duplicate elements"), (r"\bhave\b", "has"),
    (r"\bis (==|!=)$", r"is \1"), (r"\bis (?:!=)$", "is not equal"), (r" !=$", " is not equal"),
    (r"\bnot a >=", "<"), (r"\bnot a (?=[<>])", "not "), (r"(?<=0) (?:value|values|number|numbers|integer|integers|int)\b", ""),
    (r",? ?(?:\(?with not case sensitive\)?|\(?(?:is )?case[- ]insensitive\)?|after canonicali[sz]ed|after normali[sz]ed?|after normalization|at least|\(not case sensitive\))(?=$|[,.;])", ""),
    (r"\bany of (?=\()", "one of "), (r" is invalid \((< 0|< 1|<= 0|<= 1|> 1)\)", r" \1"), (r" is invalid \(< 0 or >= (‹@›) ?\)", r" is not in range [0, \1)"),
    (r"\bnumbers? of rank\b|\brank numbers? of\b|\brank number\b", "rank of"), (r"\brank of of\b", "rank of"),
    (r"\bvalue\(s\) of\b|\bany (?:of )?(?:values? of )?elements? (?:value )?of\b|\bdata of(?= ‹)|\bany of values of elements of\b|\bany value of\b|\bexisting elements? in\b", "elements of"),
    (r"\bhalf of (‹@›)", r"\1 / 2"), (r"\b(has|contains) value(?:s)? of (?=-?\d)", "is "),
    (r"(?<=›) (<=|>=|<|>) (\d+) ?(?:dimensions|D|dims|-D|-dimensional)\b", r" rank \1 \2"), (r"(?<=›) rank (?=<|>)", "'s rank "),
    (r"\b(?:odd|not even|not an even number)\b", "not divisible by 2"), (r"\bnot end(?:ed|ing|s)? (?:in|with)\b", "not ending in"), (r"\bdoes not (?:ending in|ends? (?:in|with))\b", "is not ending in"),
    (r"\blast two rank of (.+?) (?:is|does) not (?:has )?(?:equal|same)(?: size)?$|\bsize of last two rank of (.+?) is not equal$|\binner-most (?:2|two) rank of (.+?) is not equal$", r"\1\2\3 is not a square matrix"),
    (r"\bdate ?type\b|\bdatetype\b", "dtype"), (r"\bisnot\b", "is not"), (r"\bis out (?:of )?(?:valid |proper )?range\b(?: of)?", "is not in range"), (r"\bout of bounds\b", "not in range"),
    (r"\bis out of dimension range of?\b", "is not in range"), (r"\bless to\b", "<"), (r"(neither an? \w+) not (an? \w+)", r"\1 nor \2"), (r"\b(length|size|number of elements) of (?:tuple/list|list/tuple|tuple|list) (?=‹)", r"\1 of "),
    (r"(?<=‹@›) (?:tuple/list|list/tuple|list or tuple)(?= is)", ""), (r"\bdtype (?=‹)", "dtype of "), (r"\bshape (?=‹)", "shape of "), (r"\btwo (?=dim|elem)", "2 "), (r"\bhas different (dtype|shape|type|rank) (?:as|with|from)\b", r"is not same-as"),
    (r"\bnot in set\b", "not in"), (r"\bin proper range\b|\bin valid range\b", "in range"), (r"\bis not (allowed|expected|permitted)\b", "is not supported"), (r"\btuple size of\b", "length of"), (r"\bhas (?:an )?invalid number of elements\b", "is invalid"),
    (r"(?<=‹@›) whose (length|type) is not", r" \1 is not"), (r"(<=|>=|<|>) 0 float$", r"\1 0"), (r"\bis (true|false)\b", lambda m: "is " + m[1].title()), (r"\bis NULL\b", "is None"), (r"\bis assigned (?:an? )?(?:nonboolean|non-boolean) value\b", "is not bool"),
    (r"\bdata format of\b", ""), (r"\bis not 2D square(?: matrix)?\b", "is not a square matrix"), (r"\bnot in (<.+>) format\b", r"not in shape \1"), (r"\b<= or == 0\b", "<= 0"), (r"\bhas entries\b", "contains"), (r" = (?=\d)", " == "),
    (r"\belement num of\b|\bnum of\b|\blen of\b", "length of"), (r"\bfirst dim\b", "first dimension"), (r"\blast dim\b", "last dimension"), (r"\bsecond dim\b", "second dimension"), (r"\bnot listed in\b", "not in"),
    (r"\bis a tuple whose elements is not all\b", "elements is not"), (r"(?<=‹@›) elements is\b", "'s elements is"), (r"\bis not non-decreasing\b|\bis not a non-decreasing sequence\b", "is not sorted in ascending order"),
    (r"\bis not (>=|<=|>|<) (?=-?[\d‹])", lambda m: {">=": "<", "<=": ">", ">": "<=", "<": ">="}[m[1]] + " "),
    (r"\bTensor List\b", "list[Tensor]"), (r"\bis not all (?=[a-z])", "is not "), (r"\band that of (?=‹)", "and "), (r"(?<=‹@›) list is empty", " is empty"), (r"\b(?:not be|is not) even\b", "is not divisible by 2"),
    (r"\bdtype of all of inputs\b", "dtype of inputs"), (r"\b(col|row)s? of (?=‹)", r"\1 of "), (r"\bdifferent from\b(?= ‹)", "not same-as"), (r"\bis not both (.+) and (.+)$", r"is not \1 and is not \2"), (r"\bis not int number\b", "is not int"),
    (r"\btwo-dimensional\b", "2-D"), (r"\bone-dimensional\b", "1-D"), (r"\bthree-dimensional\b", "3-D"), (r"\btwo elements of (.+?) is equal$", r"\1 has duplicate elements"),
    (r"\bdata processing operations in audio, text, transforms, or vision modules\b", "TensorOperation"), (r"\bduplicate axes exist\b", "axes has duplicates"), (r"\bis not type of\b", "is not of type"),
    (r"\b(?:has|is) not equal (shape|dtype|type|length|size|rank)s? as\b|\bdoes not has equal (?:shape|dtype|type|length|size|rank)s? (?:as|with)\b", "is not same-as"),
    (r"\bdoes not has same (shape|dtype|type|length|size|rank)s? as\b", "is not same-as"), (r"\bdoes not has\b", "does not have"), (r"(?<=‹@›) it (?=[!=<>])", " "), (r"\blength of length\b", "length"),
    (r"\bis there a dimension mismatch\b", "mismatch"), (r"(?<=› )(?:parameters?|tensors?) is\b", "is"), (r"\bis neither (.+?), (?:neither )?nor\b", r"is neither \1 nor"),
    (r"\bnot all (?:in range|range)\b", "not in range"), (r"\bis not all (?=\d)", "elements != "),
    (r"\belements of of\b", "elements of"), (r"\s+([,.;:])", r"\1"), (r"\s{2,}", " "),
]]

_NAMES = r"[\w`.]+(?:(?:\s*(?:,|、|和|或|与)\s*)+[\w`.]+)*?"
_CHINESE = [(re.compile(pattern.replace("_N_", _NAMES)), new) for pattern, new in [
    (r"^(?:如果|当|若|假如|在)", "If "), (r"(?:时|的时候|的话)?[。.]?$", ""), (r"[((]", "("), (r"[))]", ")"), (r"[,,](?=\S)", ", "), (r"、", ", "),
    (r"(_N_)\s*中不存在\s*(.+)", r"\1 lacks \2"), (r"(_N_)\s*中存在\s*(.+)", r"\1 contains \2"), (r"不(?:相同|一致|相等|同)", " is not equal"),
    (r"既不是(.+?)也不是(.+)", r" is neither \1 nor \2"), (r"和(.+?)都不是", r" and \1 is not "), (r"都不是", " is not "),
    (r"不在(.+?)(?:的)?(?:范围|区间|之)(?:内|中)", r" is not in range \1"), (r"不在(.+?)(?:中|内|里)", r" is not in \1"),
    (r"超出(?:了)?(.+?)(?:的)?(?:范围|区间)", r" is not in range \1"), (r"(?:不属于|不支持)", " is not in "),
    (r"(?:小于或者?等于|小于等于|不大于)", " <= "), (r"(?:大于或者?等于|大于等于|不小于)", " >= "), (r"小于", " < "), (r"(?:大于|超过)", " > "),
    (r"不等于", " != "), (r"等于", " == "), (r"(?:为|是)负数?", " < 0 "), (r"(?:不为|不是)正(?:整)?数", " <= 0 "), (r"(?:为|是)空", " is empty "),
    (r"(?:不是|不为|非)", " is not "), (r"(?:为|是)(?=\s*(?:`|None|True|False|['\"]))", " is "), (r"不存在于", " is not in "), (r"不存在", " does not exist"),
    (r"(_N_)\s*的(?:数据类型|dtype)", r"dtype of \1"), (r"(_N_)\s*的类型", r"type of \1"), (r"(_N_)\s*(?:中|里)?的(?:任[一何])?元素", r"elements of \1"),
    (r"(_N_)\s*的\s*(?:shape|形状)", r"shape of \1"), (r"(_N_)\s*的(?:维度|维数|秩|rank)", r"rank of \1"), (r"(_N_)\s*的(?:长度|大小|个数)", r"length of \1"),
    (r"(?:与|和)(\S+?)不(?:相同|一致|相等|同)", r" and \1 is not equal"), (r"或者?", " or "), (r"(?:和|与|以及|及)", " and "),
    (r"字典", "dict"), (r"张量", "Tensor"), (r"布尔(?:值|型|类型)?", "bool"), (r"整(?:数|型|数类型)", "int"), (r"浮点(?:数|型|数类型)?", "float"), (r"字符串(?:类型)?", "str"),
    (r"元组", "tuple"), (r"列表", "list"), (r"(?<=[A-Za-z])类型", ""), (r"标量", "scalar"), (r"函数", "function"), (r"的一种|之一|中的一个", ""), (r"\s{2,}", " "),
]]


_NO_NAMES = {"array_like", "numpy_array"}


def is_chinese(text):
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def plain(text, names):
    """The sentence in the grammar's own spelling; `names` are the parameters of the page."""
    text = re.sub(r"\s+", " ", text.replace("’", "'").replace("\u00a0", " ")).strip()
    text = _ROLE.sub(_role, text)
    if is_chinese(text):
        text = _from_chinese(text, names)
    text = _QUOTED.sub(lambda m: _mark(m, names), text)
    text = re.sub(r"\)\s*\.$", ")", text).strip().rstrip(".").strip()
    text = _bare_names(text, names)
    held = re.findall(r"‹[^›]*›|«[^»]*»", text)
    text = re.sub(r"‹[^›]*›", "‹@›", re.sub(r"«[^»]*»", "«@»", text))
    for pattern, new in _REPLACE:
        text = pattern.sub(new, text)
    kept = iter(held)
    text = re.sub(r"[‹«]@[›»]", lambda m: next(kept), text)
    return text.strip().rstrip(".,;").strip()


def _from_chinese(text, names):
    text = _glued_names(text, names)
    for pattern, new in _CHINESE:
        text = pattern.sub(new, text)
    return text


def _glued_names(text, names):
    """Saved pages lose what stood between two names: "beta1beta2eps" is read as the three parameters it consists of."""
    known = sorted((n for n in names if len(n) > 1), key=len, reverse=True)
    if not known:
        return text
    one = "|".join(map(re.escape, known))

    def apart(match):
        return ", ".join(re.findall(one, match[0]))
    return re.sub(rf"(?<![\w`])(?:{one}){{2,}}(?!\w)", apart, text)


def _role(match):
    role, content = match[1], match[2].lstrip(".").strip()
    if role == "math":
        content = re.sub(r"\\(?:text|times|left|right|mathrm)\b|[{}$\\]", " ", content).replace(" le ", "<=")
        return f" {content.strip()} "
    return f"`{content.removeprefix('mindspore.')}`"


def _mark(match, names):
    inner = next(g for g in match.groups() if g is not None).strip()
    if match[2] is None:
        inner = inner.replace("`", "")
    double = match[1] is not None
    bare = inner.strip("'\"")
    if _LITERAL.match(bare) and (double or bare == inner):
        return bare
    if (bare != inner and "," not in inner) or match[4] is not None or match[5] is not None or match[3] is not None:
        if bare in names and not double and match[4] is None:
            return f"‹{bare}›"
        if re.match(r"^[\[(].*[\])]$", bare) and re.search(r"\d|‹", bare):
            return f" {_spans(bare, names)} "
        return f"«'{bare}'»"
    if re.match(r"^\*{0,2}[A-Za-z_]\w*$", inner):
        return f"‹{inner.strip('*')}›" if not double or inner in names else f"«{inner}»"
    if "'" in inner or '"' in inner:
        return re.sub(r"['\"]([^'\"]+)['\"]", r"«'\1'»", inner)
    return f" {_spans(inner, names)} "


def _spans(text, names):
    return re.sub(r"[A-Za-z_]\w*", lambda m: f"‹{m[0]}›" if m[0] in names else m[0], text)


def _bare_names(text, names):
    """Mark names that the page left unmarked, where nothing but a name can be meant."""
    sure = {n for n in names if "_" in n or re.search(r"\d", n)} | set(re.findall(r"\b[a-z]+_[a-z_]+\b", text)) - _NO_NAMES
    text = re.sub(r"(?<![‹«\w.'])([A-Za-z]\w*_\w*|[A-Za-z]+\d+)(?![\w›»'])",
                  lambda m: f"‹{m[0]}›" if m[0] in sure else m[0], text)
    start = re.match(r"^(?:(?:If|When|if|when)\s+)?(?:the\s+)?([A-Za-z_]\w*)(?=\s+(?:is|are|has|does|must|should|not|in)\b|\s*,)", text)
    if start and start[1] in names:
        text = text[:start.start(1)] + f"‹{start[1]}›" + text[start.end(1):]
    return text
