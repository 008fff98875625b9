"""Small files in the formats of text sources; see `sources`."""

import json


def clue():
    tasks = {
        "afqmc": [
            {"sentence1": "蚂蚁", "sentence2": "b c", "label": "0"},
            {"sentence1": "d", "sentence2": "e", "label": "1"},
        ],
        "afqmc_test": [{"id": 0, "sentence1": "a", "sentence2": "b"}],
        "tnews": [
            {"label": "102", "label_desc": "n", "sentence": "s1", "keywords": "k,k2"},
            {"label": "103", "label_desc": "x", "sentence": "s2", "keywords": ""},
        ],
        "tnews_test": [{"id": 3, "keywords": "k", "sentence": "s"}],
        "iflytek": [{"label": "11", "label_des": "d", "sentence": "s1"}],
        "iflytek_test": [{"id": 9, "sentence": "s1"}],
        "cmnli": [{"sentence1": "a", "sentence2": "b", "label": "neutral"}],
        "cmnli_test": [{"id": 2, "sentence1": "a", "sentence2": "b"}],
        "csl": [{"id": 1, "abst": "a", "keyword": ["水体", "b"], "label": "0"}],
        "csl_test": [{"id": 1, "abst": "a", "keyword": ["k"]}],
    }
    target = {"span2_index": 37, "span1_index": 5, "span1_text": "床", "span2_text": "它"}
    tasks["wsc"] = [{"target": target, "idx": 261, "label": "false", "text": "t"}]
    tasks["wsc_test"] = [{"target": target, "idx": 261, "text": "t"}]
    for name, rows in tasks.items():
        yield f"{name}.json", "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    yield "broken.json", "{nope\n"


def csv_news():
    yield "train.csv", '"3","A title, so","He said ""yes"" \\ now"\n"4","Two","x"\n'
    yield "test.csv", '"1","Test","t"\n'
    yield "classes.txt", "World\nSports\n"


def csv_plain():
    yield "train.csv", '1,"A title"," text, here"\n14,Plain,more\n'
    yield "test.csv", '2,"Test","t"\n'


def csv_answers():
    yield "train.csv", '"5","why?","because","so it is"\n"6","","","no"\n'
    yield "test.csv", '"1","a","b","c"\n'


def csv_two():
    yield "train.csv", '"5","good"\n"1","bad, very"\n'
    yield "test.csv", '"2","test"\n'


def csv_bad():
    yield "train.csv", '"5","good"\n"1"\n'
    yield "test.csv", '"5","a","b","c","d","e"\n'


def conll2000():
    yield (
        "train.txt",
        (
            "Confidence NN B-NP\nin IN B-PP\n. . O\n\n"
            "Chancellor NNP O\n\nLast JJ B-NP\nweek NN I-NP\n\n"
        ),
    )
    yield "test.txt", "Rockwell NNP B-NP\nsaid VBD B-VP\n\n"


def enwik9():
    yield "enwik9", "<mediawiki>\n  <page> é\n\nlast"


def imdb():
    for part in ("train", "test"):
        for kind in ("pos", "neg"):
            for name in ("0_9", "10_7", "2_8"):
                yield f"{part}/{kind}/{name}.txt", f"{part} {kind} {name}, é <br />"
    yield "train/unsup/0_0.txt", "unused"


def _tags(language):
    return (
        "<url>http://x</url>\n<keywords>talks</keywords>\n<talkid>1</talkid>\n"
        f"<title>T {language}</title>\n<description>D</description>\n {language} first & line \n"
        f"{language} second\n<reviewer>R</reviewer>\n<translator>x</translator>\n"
    )


def _segments(language, name):
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<refset setid="a">\n'
        f'<doc docid="1">\n<title>T</title>\n<seg id="1"> {name} {language} one &amp; </seg>\n'
        f'<seg id="2"> two </seg>\n</doc>\n<doc docid="2">\n<seg id="1">three</seg>\n</doc>\n'
        f"</refset>\n</mteval>\n"
    )


def iwslt2016():
    room = "texts/de/en/de-en"
    for language in ("de", "en"):
        yield f"{room}/train.tags.de-en.{language}", _tags(language)
        for name in ("dev2010", "tst2010", "tst2013", "tst2014"):
            yield f"{room}/IWSLT16.TED.{name}.de-en.{language}.xml", _segments(language, name)
    room = "texts/en/fr/en-fr"
    for language in ("en", "fr"):
        yield f"{room}/train.tags.en-fr.{language}", _tags(language)


def iwslt2017():
    room = "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    for pair in ("de-en", "it-nl"):
        for language in pair.split("-"):
            yield f"{room}/train.tags.{pair}.{language}", _tags(language)
            for name in ("dev2010", "tst2010"):
                yield f"{room}/IWSLT17.TED.{name}.{pair}.{language}.xml", _segments(language, name)


def multi30k():
    for room, name in (
        ("training", "train"),
        ("validation", "val"),
        ("mmt16_task1_test", "test"),
        ("mmt16_task1_test", "val"),
    ):
        for language in ("de", "en"):
            yield f"{room}/{name}.{language}", f"{language} {name} a .\n{language} {name} b\n\n"


def penn_treebank():
    for part in ("train", "valid", "test"):
        yield f"ptb.{part}.txt", f" {part} aer <unk> \n\n N years \n"


def squad():
    def article(name, answers):
        return {
            "title": name,
            "paragraphs": [
                {
                    "context": f"{name} is here.",
                    "qas": [
                        {"id": "1", "question": f"who is {name}?", "answers": answers},
                        {"id": "2", "question": "é?", "answers": []},
                    ],
                }
            ],
        }

    one = [{"text": "here", "answer_start": 5}, {"text": "is", "answer_start": 2}]
    yield "train-v1.1.json", json.dumps({"data": [article("Al", one), article("Bo", one[:1])]})
    yield "dev-v1.1.json", json.dumps({"data": [article("Cy", one)]})
    yield "broken/train-v1.1.json", "{"
    yield "lacking/train-v1.1.json", json.dumps({"data": [{"title": "a"}]})


def sst2():
    yield "train.tsv", "sentence\tlabel\nhide new \t0\ncontains no wit\t1\n"
    yield "dev.tsv", "sentence\tlabel\nit 's fine \t1\n"
    yield "test.tsv", "index\tsentence\n0\tuneasy mishmash .\n1\tthis film\n"


def udpos():
    for part in ("train", "dev", "test"):
        yield f"en-ud-tag.v2.{part}.txt", (f"From\tADP\tIN\nthe\tDET\tDT\n\n{part}\tNOUN\tNN\n\n")


def wiki_text():
    for part in ("train", "valid", "test"):
        yield f"wiki.{part}.tokens", f" \n = {part} = \n \n some text @-@ here . \n"
