"""The command line: reads documentation, runs its cases on an implementation, reports the results.

`COMMAND --help` describes each command.
"""

import argparse
import io
import json
import os
import platform
import sys
import time
from importlib import metadata
from pathlib import Path

from .calls import stored
from .errors import BadInput
from .kinds import cases, members
from .mutation import measure, plan
from .reading import docs, specs, wheel
from .reports import compare, coverage, generate, history, html, report, usage
from .running import answers, expected, runner, verdicts
from .targets import DEFAULT, REFERENCE
from .varied import (
    additions,
    axes,
    forbidden,
    nones,
    record,
    refusals,
    repeats,
    seeds,
    sequences,
    settle,
    shown,
    slopes,
    stated,
    texts,
)

COMMAND, RESULTS = "mindspore-conformance", "conformance-results"


def main(argv=None):
    """Run a command; returns 0 on success, 1 if a case fails, 2 for unusable input."""
    options = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):  # names and texts of pages may be in any language
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return options.run(options) or 0
    except BadInput as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("\nconformance: interrupted; `--resume` goes on from here", file=sys.stderr)
        return 130


def _parser():
    one_line = argparse.RawDescriptionHelpFormatter  # keeps the line of --version whole
    parser = argparse.ArgumentParser(prog=_program(), description=__doc__, formatter_class=one_line)
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, metavar="command")
    _read_options(
        commands.add_parser("read", help="read documentation; count understood sentences")
    )
    run = commands.add_parser("run", help="run the cases on an implementation")
    _case_options(run)
    run.add_argument("--target", default=DEFAULT, help=f"package under test (default: {DEFAULT})")
    run.add_argument("--python", help="interpreter that has the target")
    run.add_argument(
        "--documented",
        action="store_true",
        help="judge by the documentation alone, not by stored answers",
    )
    run.add_argument(
        "--keep", action="store_true", help="with --target mindspore: store answers, set verdicts"
    )
    run.add_argument("--name", help="name of the stored run (default: the target's)")
    run.add_argument(
        "--xfails", metavar="FILE", help="IDs of cases expected to fail; `*` matches anything"
    )
    run.add_argument("--skips", metavar="FILE", help="IDs of cases not to run, likewise")
    run.add_argument(
        "--strict", action="store_true", help="a case that is expected to fail must not pass"
    )
    run.add_argument(
        "--shard", type=_shard, metavar="I/N", help="only the I-th of N parts of the cases"
    )
    run.add_argument("--junit", metavar="FILE", help="write the results for a CI server")
    run.set_defaults(run=_run)
    both = commands.add_parser(
        "compare", help="two stored runs by name; or the same calls on two implementations"
    )
    _case_options(both)
    both.add_argument("--reference", default=REFERENCE)
    both.add_argument(
        "--python", help="interpreter that has the reference; default: stored answers"
    )
    both.add_argument("--target", default=DEFAULT)
    both.add_argument(
        "--settle",
        action="store_true",
        help="write the reasons for differing odd calls into the specs if a rule gives them",
    )
    both.set_defaults(run=_compare)
    write = commands.add_parser("generate", help="write the cases as plain test files")
    _case_options(write)
    write.add_argument("--out", required=True, metavar="DIR")
    write.add_argument("--target", default=DEFAULT)
    write.set_defaults(run=_generate)
    _record_options(
        commands.add_parser("record", help="vary the calls of each name on real MindSpore")
    )
    _mutation_options(
        commands.add_parser("mutate", help="plant faults in a target; count those that are found")
    )
    shown = commands.add_parser("report", help="show the results of a run")
    shown.add_argument(
        "results",
        nargs="*",
        default=[DEFAULT],
        help="names or files of runs; several are shown side by side",
    )
    shown.add_argument(
        "--against", metavar="OLD", help="an earlier run: print what is fixed, broken and new"
    )
    shown.add_argument("--folder", default=RESULTS, help="where runs are stored")
    for kind in ("--html", "--json", "--junit", "--badge"):
        shown.add_argument(kind, metavar="FILE")
    shown.set_defaults(run=_report)
    return parser


def _read_options(read):
    read.add_argument(
        "source",
        nargs="*",
        help="a mindspore wheel (installed, unpacked, .whl), a tree of .rst pages, saved pages",
    )
    _fetch_options(read)
    read.add_argument("--out", metavar="FOLDER", help="write spec files there")
    read.add_argument(
        "--unread", action="store_true", help="list the sentences that were not understood"
    )
    read.add_argument("--name", help="print everything read for one name")
    read.set_defaults(run=_read)


_ADDITIONS = {  # an option of `record` -> what asks about one name, and the help
    "gradients": (slopes.add_gradients, "only add gradients to what is stored"),
    "arguments": (additions.add_arguments, "only add arguments that no case passes"),
    "inputs": (additions.add_inputs, "only add integers below 0 in Tensors"),
    "attributes": (additions.add_attributes, "only add what objects keep of their arguments"),
    "pairs": (additions.add_pairs, "only add changes of two arguments together"),
    "stated": (stated.add_stated, "only add values that pages give to arguments"),
    "states": (additions.add_states, "only add the attributes of new objects"),
    "refusals": (refusals.add_refusals, "only add changes of a call that are refused"),
    "forbidden": (forbidden.add_forbidden, "only add calls that sentences of the page forbid"),
    "repeats": (repeats.add_repeats, "only add a call made once more, with other Tensors"),
    "seeds": (seeds.add_seeds, "only add whether a seed decides the numbers that are drawn"),
    "axes": (axes.add_axes, "only add axes that are counted from the end"),
    "nones": (nones.add_nones, "only add calls that pass None where it is the default"),
    "texts": (texts.add_texts, "only add uses of an object with other Tensors"),
    "sequences": (sequences.add_sequences, "only add what an object gives the second time"),
    "sharing": (shown.add_sharing, "only add what shares memory with a result"),
    "prints": (shown.add_prints, "only add the printed forms of objects"),
    "calls": (additions.add_calls, "only add calls of the table that are not stored"),
    "recheck": (additions.recheck, "only ask the reference about the stored calls once more"),
}


def _record_options(record):
    record.add_argument("area", nargs="*", help="modules or names; default: all")
    record.add_argument("--target", default=REFERENCE, help="who answers (default: mindspore)")
    record.add_argument("--python", help="interpreter that has it")
    record.add_argument("--spec", default=specs.FOLDER, help="folder of spec files")
    record.add_argument("--keep", action="store_true", help="store the calls and their outcomes")
    for name, (add, text) in _ADDITIONS.items():
        record.add_argument(f"--{name}", dest="add", action="store_const", const=add, help=text)
    record.add_argument(
        "--settle",
        action="store_true",
        help=f"list the stored calls on which {DEFAULT} differs, by reason",
    )
    record.add_argument("--missing", action="store_true", help="only names without values")
    record.add_argument("-j", "--jobs", type=_count, default=1, metavar="N")
    record.set_defaults(run=_record)


def _mutation_options(mutate):
    mutate.add_argument("area", nargs="*", help="modules or names to plant faults in; default: all")
    mutate.add_argument("--target", default=DEFAULT)
    mutate.add_argument("--python", help="interpreter that has the target")
    mutate.add_argument("--spec", default=specs.FOLDER, help="folder of spec files")
    mutate.add_argument("--count", type=_count, default=1000, help="faults (default: 1000)")
    mutate.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    mutate.add_argument("--even", action="store_true", help="as many from each part of the API")
    mutate.add_argument("-j", "--jobs", type=_count, default=1, metavar="N")
    mutate.add_argument("--json", metavar="FILE", help="write every outcome")
    mutate.set_defaults(run=_mutate)


def _fetch_options(parser):
    parser.add_argument(
        "--fetch", metavar="RELEASE", help="get this release's wheel with pip; read it"
    )
    parser.add_argument(
        "--cache", default=Path.home() / ".cache" / "mindspore-docs", help="where wheels are stored"
    )


def _case_options(parser):
    _fetch_options(parser)
    parser.add_argument(
        "area", nargs="*", help="modules or names (nn, nn.AdamOffload); default: all"
    )
    parser.add_argument(
        "--kind",
        action="append",
        choices=(*cases.KINDS, cases.ODD),
        help="only cases of this kind (repeatable)",
    )
    parser.add_argument("--spec", default=specs.FOLDER, help="folder of spec files")
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        help="documentation to take the examples from (repeatable)",
    )
    parser.add_argument("--results", default=RESULTS, help="folder for results")
    parser.add_argument(
        "-j", "--jobs", type=_count, default=1, metavar="N", help="cases run at a time"
    )
    parser.add_argument("--resume", action="store_true", help="continue an interrupted run")


def _sources(options):
    fetched = [wheel.fetch(options.fetch, options.cache)] if options.fetch else []
    return list(options.source) + fetched


def _read(options):
    if not options.source and not options.fetch:
        raise BadInput("read", "name a SOURCE, or --fetch RELEASE")
    pages = [page for source in _sources(options) for page in docs.read(source)]
    entries, unread, lines = {}, [], 0
    for page in pages:
        entry, missed = specs.from_page(page)
        entries[page.name] = specs.newer(entries.get(page.name), entry)
        unread += [(page, sentence) for sentence in missed]
        lines += 0 if page.same_as else len(page.raises)
    own = [page for page in pages if not page.same_as]
    done = lines - len(unread)
    print(
        f"{len(entries)} public names, {len(own)} pages of their own, "
        f"{sum(bool(p.examples) for p in own)} with examples"
    )
    print(
        f"{lines} Raises lines, {done} read ({100 * done / max(1, lines):.1f} %), {len(unread)} not"
    )
    for name, what, errors in verdicts.disagreements(pages):
        print(
            f"pages disagree: {name} {what} - "
            + "; ".join(f"{Path(s).name}: {e}" for s, e in errors.items())
        )
    if options.unread:
        for page, sentence in unread:
            print(f"{page.source}:{sentence.line}: {page.name}: {sentence.error}: {sentence.text}")
    if options.name:
        print(
            specs.text({options.name: entries[options.name]})
            if options.name in entries
            else f"no page of {options.name}"
        )
    if options.out:
        verdicts.carry(entries, options.out)
        print(f"{len(specs.save(entries, options.out))} spec files in {options.out}")


def _cases(options):
    entries = specs.load(options.spec)
    for area in cases.unknown(entries, options.area):
        raise BadInput(area, "no such module or name in the specs")
    kinds = tuple(options.kind or cases.KINDS)
    case_list = list(cases.all_cases(entries, kinds, options.area))
    if not options.area and "exists" in kinds:
        case_list += usage.cases(entries)
    pages = [page for source in _sources(options) for page in docs.read(source)]
    if "example" in kinds:
        wanted = {case["name"] for case in case_list} if options.area else None
        for page in pages:
            if not page.same_as and (
                wanted is None
                or page.name in wanted
                or any(page.name.startswith(a) for a in options.area)
            ):
                case_list += cases.of_page(page, entries.get(page.name, {}))
    if not case_list:
        raise BadInput(
            " ".join(options.area) or options.spec, "no cases: no such module or name in the specs"
        )
    return entries, case_list, verdicts.disagreements(pages)


def _store(options, name):
    folder = Path(options.results)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.jsonl"


def _run(options):
    xfails, skips = map(expected.patterns, (options.xfails, options.skips))
    entries, case_list, disagree = _cases(options)
    recorded = {} if options.documented or options.target == REFERENCE else answers.load()
    if not options.kind:
        case_list += answers.refused(entries, options.area, recorded, list(case_list))
    about = {"target": options.target, "disagreements": disagree}
    about["specs"] = specs.digest(options.spec)
    name = options.name or options.target
    records, raw = [], []
    given = {
        (n, str(specs.rule_of(i))): i.get("verdict")
        for n, e in entries.items()
        for i in e.get("raises", ())
    }
    if options.keep:
        case_list = [members.asked(case) for case in case_list]
    if options.shard:
        case_list = _part(case_list, *options.shard)
    left_out = [case for case in case_list if expected.is_in(case, skips)]
    case_list = [case for case in case_list if not expected.is_in(case, skips)]
    store = _store(options, name)
    try:
        for case, result in runner.run(
            case_list,
            options.target,
            options.python,
            store,
            runner.Progress(len(case_list)),
            about,
            options.jobs,
            restart=not options.resume,
        ):
            raw.append((case, result))
            judged = expected.settle(
                answers.judge(case, result, recorded), case, xfails, report.BAD
            )
            verdict = given.get((case["name"], case.get("rule")))
            records.append(report.record(case, judged, verdict))
    finally:
        if records:
            left = {"status": "skip", "got": f"listed in {options.skips}"}
            records += [report.record(case, left) for case in left_out]
            about["coverage"] = coverage.coverage(records, entries)
            report.save(store.with_suffix(".json"), records, about)
    if options.keep:
        answers.save(raw)
        members.save(raw)
        print("verdicts:", verdicts.apply(entries, raw))
        specs.save(entries, options.spec)
    summed = report.summary(records, about)
    if options.junit:
        Path(options.junit).write_text(report.junit(records, about), encoding="utf-8")
    bad = (*report.BAD, "xpass") if options.strict else report.BAD
    print(report.table(summed))
    print(report.failures_text(records, summed, options.results), end="")
    return 1 if any(r["status"] in bad for r in records) else 0


def _part(case_list, index, count):
    """Returns one of several parts of equal size. Each part has whole names and is the same on
    every machine."""
    names = sorted({case["name"] for case in case_list})
    own = set(names[index - 1 :: count])
    return [case for case in case_list if case["name"] in own]


def _compare(options):
    if len(options.area) == 2 and all(_is_run(name, options) for name in options.area):
        return _compare_runs(*options.area, options)
    entries, case_list, _ = _cases(options)
    how = options.jobs, not options.resume
    if options.python or options.reference != REFERENCE:
        store = _store(options, options.reference)
        left = compare.run_side(case_list, options.reference, options.python, store, *how)
    else:
        left = compare.from_recorded(answers.load(), case_list)
    case_list = compare.sound([case for case in case_list if case["id"] in left], left)
    right = compare.run_side(case_list, options.target, None, _store(options, options.target), *how)
    case_list = [case for case in case_list if right[case["id"]]["status"] != "absent"]
    parted = list(compare.differences(case_list, left, right))
    if options.settle:
        compare.settle(entries, case_list, parted)
        specs.save(entries, options.spec)
    for case, _, _, what in parted:
        print(f"{case['id']}: {what}" + (f" ({case['apart']})" if "apart" in case else ""))
    open_ones = sum("apart" not in case for case, *_ in parted)
    share = 100 * (1 - len(parted) / max(1, len(case_list)))
    print(
        f"{len(case_list)} calls made on both sides, {share:.1f} % with the same outcome; "
        f"{len(parted)} differ, {open_ones} of them without a verdict"
    )
    return 1 if open_ones else 0


def _is_run(name, options):
    return (Path(options.results) / f"{name}.json").exists()


def _compare_runs(left, right, options):
    """Compares two stored runs: side by side, then what the second one fixes and breaks."""
    runs = [report.load(Path(options.results) / f"{name}.json") for name in (left, right)]
    print(history.side_by_side([report.summary(*run) for run in runs]))
    changes = history.changes(runs[0][0], runs[1][0])
    print(f"{right} against {left}:", history.changes_text(changes))
    return 1 if changes["broken"] or changes["new"] else 0


def _generate(options):
    _, case_list, _ = _cases(options)
    written = generate.write(case_list, options.out, options.target, answers.load())
    print(f"{len(written)} test files in {options.out}")


def _record(options):
    entries = specs.load(options.spec)
    names = [case["name"] for case in cases.all_cases(entries, ("exists",), options.area)]
    names = [name for name in names if "same_as" not in entries[name]]
    if options.settle:
        return _settle(entries, options)
    if options.add:
        return _add(options.add, names, entries, options)
    if options.missing:
        names = [name for name in names if name not in stored.load()]
    records, start = {}, time.monotonic()

    def done(about):
        if options.target != REFERENCE:
            about.answered_by(options.target)
        records[about.name] = about.calls or stored.by_others(about.name)
        outcome = f"{len(about.calls)} calls" if about.calls else about.reason
        if options.keep and len(records) % 50 == 0:
            stored.save(records, cases.area_of)
        print(f"{time.monotonic() - start:6.0f} s {about.name}: {outcome}", flush=True)

    record.all_names(names, entries, options.target, options.python, options.jobs, done)
    if options.keep:
        stored.save(records, cases.area_of)


def _add(add, names, entries, options):
    """Adds calls to the stored ones: `add(name, entries, stored, reference)` returns both."""
    reference, records = record.Reference(options.target, options.python), {}
    for number, name in enumerate(names, 1):
        known = stored.load().get(name, {})
        calls = add(name, entries, known, reference)
        if calls != known:
            labels = [label for label in calls if calls[label] != known.get(label)]
            if reference.own_word is not None:
                calls |= {label: {**calls[label], "by": reference.own_word} for label in labels}
            print(f"{name}: {', '.join(labels)}", flush=True)
            records[name] = calls
        if options.keep and records and (len(records) % 5 == 0 or number == len(names)):
            stored.save(records, cases.area_of)
            records = {}
    reference.stop()


def _settle(entries, options):
    whole_cases = map(stored.whole, cases.all_cases(entries, ("values",), options.area))
    judged = [
        (case, answers.judge(case, result, {}))
        for case, result in runner.run(whole_cases, DEFAULT, jobs=options.jobs)
    ]
    left = settle.write(judged)
    for case, result in left:
        print(f"{case['id']}: {result.get('difference')}: {result.get('expected')}")
        print(f"    got {result.get('got')}")
    print(f"{len(judged)} calls, {len(left)} differ without a reason")
    return 1 if left else 0


def _mutate(options):
    entries = specs.load(options.spec)
    names = {case["name"] for case in cases.all_cases(entries, ("exists",), options.area)}
    if not names:
        raise BadInput(" ".join(options.area), "no such module or name in the specs")
    chosen = {name: entries[name] for name in names}
    faults = plan.drawn(chosen, options.count, options.seed, options.even)
    outcomes = []
    for outcome in measure.outcomes(
        faults, entries, measure.Cases(entries), options.target, options.python, options.jobs
    ):
        outcomes.append(outcome)
        if outcome.status == "missed":
            reached = "" if outcome.reached else " (no case reaches it)"
            print(f"missed: {outcome.key}{reached}", flush=True)
    print(measure.table_text(measure.counts(outcomes)))
    if options.json:
        listed = [{**vars(outcome), "key": outcome.key} for outcome in outcomes]
        Path(options.json).write_text(json.dumps(listed, indent=1), encoding="utf-8")


def _report(options):
    runs = [report.load(_file_of(name, options)) for name in options.results]
    summaries = [report.summary(*run) for run in runs]
    if len(runs) > 1:
        print(history.side_by_side(summaries))
    else:
        print(report.table(summaries[0]))
    (records, about), summed = runs[0], summaries[0]
    if options.against:
        old, _ = report.load(_file_of(options.against, options))
        print(f"against {options.against}:", history.changes_text(history.changes(old, records)))
    for path, text in (
        (options.html, html.page),
        (options.json, _as_json),
        (options.junit, lambda r, s: report.junit(r, about)),
        (options.badge, lambda r, s: report.badge(s)),
    ):
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(text(records, summed), encoding="utf-8")
            print(f"wrote {path}")


def _file_of(name, options):
    """Returns the results file of a named run, or the given file."""
    named = Path(options.folder) / f"{name}.json"
    return named if named.exists() and not Path(name).is_file() else name


def _as_json(records, summed):
    return json.dumps({"summary": summed, "records": records}, ensure_ascii=False, indent=1)


def _program():
    """Returns how the tool was called: as the installed command, or as a module."""
    command = Path(sys.argv[0]).stem
    return command if command == COMMAND else f"python -m {__package__}"


def _version():
    system = f"Python {platform.python_version()}, {platform.platform(terse=True)}"
    try:
        own = metadata.version("mindspore-compat")
    except metadata.PackageNotFoundError:
        own = "from a checkout"
    return f"{COMMAND} {own}, specs {specs.digest(specs.FOLDER)} of MindSpore 2.10.0, {system}"


def _shard(text):
    index, _, count = text.partition("/")
    index, count = int(index), int(count)
    if not 1 <= index <= count:
        raise ValueError(text)
    return index, count


def _count(text):
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


if __name__ == "__main__":
    sys.exit(main())
