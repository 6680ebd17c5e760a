"""The command line, as a user would type it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

import whichf1 as wf
from tests.helpers.commands import NASTY, Run, signatures
from whichf1.cli import COMMANDS, app
from whichf1.reporting.numbers import brief

ANIMALS = "examples/animals.csv"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_score_prints_every_number_beside_its_signature(run: Run) -> None:
    code, out, err = run("score", ANIMALS, "--signature", "full")
    assert (code, err) == (0, "")
    assert "averaged F1" in out and "F1 of averages" in out
    assert "The two macro F1s differ by 0.0405" in out
    assert "Classes 'bird' and 'dog' account for 49 % of it." in out
    shown = signatures(out)
    assert len(shown) == 3 + 9
    counts = wf.count(ANIMALS)
    for signature in shown[3:]:
        line = next(line for line in out.splitlines() if line.endswith(signature))
        score = wf.Definition.parse(signature)(counts)
        assert f"{score:.4f}" in line
        assert score.interval is not None and brief(score.interval, 4) in line
        assert score.signature == signature
    assert "\x1b" not in out and not any(line.endswith(" ") for line in out.splitlines())


def test_score_as_json_runs_again(run: Run) -> None:
    code, out, _ = run("score", ANIMALS, "--format", "json")
    assert code == 0
    record = json.loads(out)
    counts = wf.count(ANIMALS)
    assert record["n"] == 200 and record["labels"] == ["bird", "cat", "dog", "fish"]
    assert len(record["scores"]) == 9 and len(record["per_class"]) == 12
    for entry in record["scores"] + record["per_class"]:
        score = wf.Definition.parse(entry["signature"])(counts)
        assert score.value == entry["value"]
        if score.interval is None:
            assert "interval" not in entry
        else:
            assert entry["interval"]["low"] == score.interval.low
    assert record["gap"]["value"] == pytest.approx(wf.macro_f1(counts).gap)
    assert record["gap"]["largest_pair"]["classes"] == ["bird", "dog"]


def test_score_as_csv_markdown_and_latex(run: Run) -> None:
    _, out, _ = run("score", ANIMALS, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    counts = wf.count(ANIMALS)
    assert len(rows) == 9 + 12
    for row in rows:
        assert wf.Definition.parse(row["signature"])(counts).value == float(row["value"])
    _, out, _ = run("score", ANIMALS, "-f", "markdown")
    assert "| averaged F1 | 0.6625 | [0.5757, 0.7427] | <code>f1&#124;avg:macro" in out
    out = run("score", ANIMALS, "-f", "latex")[1].replace(r"\allowbreak{}", "")
    assert r"averaged F1 & 0.6625 & {[}0.5757, 0.7427] \\" in out
    over = "over the 4 classes that occur as true or predicted, of the F1"
    assert f"Averaged F1 is the unweighted mean, {over}" in out
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 3
    assert r"\texttt{f1\textbar{}avg:macro" in out


def test_chosen_metrics_and_options(run: Run) -> None:
    _, out, _ = run("score", ANIMALS, "-m", "recall", "-m", "averaged_f1", "-m", "f_beta(beta=2)")
    assert "recall|avg:none" in out and "f_beta(beta=2)|avg:none" in out
    _, out, _ = run(
        "score", ANIMALS, "-m", "sensitivity", "--average", "macro", "--interval", "none"
    )
    assert "0.6165" in out and "interval" not in out
    _, out, _ = run("score", ANIMALS, "-m", "precision", "--positive", "dog")
    assert 'precision|positive:"dog"' in out and "0.6480" in out
    signature = 'f1|avg:macro|formula:of-averages|classes:observed|exclude:["bird"]|undef:0|v:1'
    _, out, _ = run("score", ANIMALS, "-m", signature)
    assert signature in out
    _, out, _ = run(
        "score", ANIMALS, "--classes", "cat,dog", "--undefined", "skip", "--decimals", 2
    )
    assert 'classes:["cat","dog"]|undef:skip' in out and "differ" not in out
    _, out, _ = run("score", ANIMALS, "--exclude", "bird", "--ignore", "fish")
    assert 'exclude:["bird"]|ignore:["fish"]' in out


def test_labels_weights_and_columns(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", "id,y,model,w\n1,0,0,2\n2,1,0,1\n3,1.0,1,0.5\n")
    code, out, _ = run(
        "score", path, "--true", "y", "--pred", "model", "--weights", "w", "--labels", "0,1,2"
    )
    assert code == 0
    assert "weight 3.5, 3 classes" in out and "n:3.5|k:3" in out
    code, _, err = run("score", path)
    assert code == 2 and "Its columns: id, y, model, w" in err
    code, _, err = run("score", path, "--true", "y", "--pred", "Model")
    assert code == 2 and "no column 'Model'" in err and err.endswith("Did you mean 'model'?\n")
    code, _, err = run("score", path, "--true", "why", "--pred", "model")
    assert code == 2 and "no column 'why'" in err
    code, _, err = run("score", path, "--true", "y", "--pred", "model", "--weights", "v")
    assert code == 2 and "no column 'v'" in err


@pytest.mark.parametrize(
    ("header", "found"),
    [("true,pred", True), ("y_true,y_pred", True), ("gold,pred", True), ("label,prediction", True),
     ("gold,prediction", True), ("label,pred", True), ("x,true,y_pred", True),
     ("pred,label,prediction", True), ("gold,y_pred,y_true,prediction,label", False),
     ("gold,pred,true", False), ("a,b", False), ("gold,model", False)],
)  # fmt: skip
def test_the_usual_columns_are_found(tmp_path: Path, header: str, found: bool) -> None:
    names = header.split(",")
    path = write(tmp_path / "p.csv", f"{header}\n{','.join('1' for _ in names)}\n")
    if found:
        assert wf.count(path).n == 1
    else:
        with pytest.raises(wf.errors.FileError, match="Its columns: "):
            wf.count(path)


def test_exit_codes(run: Run) -> None:
    assert run("score", ANIMALS, "--fail-under", "averaged_f1=0.6")[0] == 0
    code, out, err = run("score", ANIMALS, "--fail-under", "averaged_f1=0.9")
    assert code == 1 and "averaged_f1 is 0.662471, below 0.9" in err and "averaged F1" in out
    assert run("score", ANIMALS, "--fail-under", "accuracy=0.7,")[0] == 2
    assert run("score", ANIMALS, "--fail-under", "nonsense=0.7")[0] == 2
    assert run("score", "missing.csv")[0] == 2
    assert run("score", ANIMALS, "--no-such-option")[0] == 2
    assert run("score", ANIMALS, "-m", "precison")[0] == 2
    assert run("score", ANIMALS, "--average", "macro")[0] == 2
    assert run("score", ANIMALS, "-m", "recall", "--positive", "cta")[2].endswith(
        "Did you mean 'cat'?\n"
    )


BAD_FILES = {
    "empty": ("", "is empty"),
    "header alone": ("true,pred\n", "a header but no items"),
    "short row": ("true,pred\na,b\na\n", "line 3: 1 cell where the header has 2"),
    "long row": ("true,pred\na,b\na,b,c\n", "line 3: 3 cells where the header has 2"),
    "open quote": ('true,pred\na,b\n"a,b\n', "line 3: a quote that is not closed"),
    "missing label": ("true,pred\na,b\na,\n,b\n", "column 'true' has no label in 1 of its 3 items"),
    "twice": ("true,pred,True\na,b,c\n", "appears twice"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_malformed_files(run: Run, tmp_path: Path, case: str) -> None:
    text, message = BAD_FILES[case]
    code, out, err = run("score", write(tmp_path / "p.csv", text))
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1


def test_bad_weights_in_a_file(run: Run, tmp_path: Path) -> None:
    for bad in ("x", "-1", "nan", "inf", ""):
        path = write(tmp_path / "p.csv", f"true,pred,w\na,b,1\na,b,{bad}\n")
        code, _, err = run("score", path, "--weights", "w")
        assert code == 2 and "Weights must be finite" in err


def test_what_a_file_means(tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", "true,pred\n10,2\n2,2.0\n")
    assert wf.count(path).labels == (2, 10)
    write(path, "true,pred\n10,2\n2,x\n")
    assert wf.count(path).labels == ("10", "2", "x")
    write(path, "true,pred\n007,7\n")
    with pytest.warns(wf.errors.LabelWarning, match="'007' and '7'"):
        assert wf.count(path).labels == ("007", "7")
    with pytest.warns(wf.errors.LabelWarning, match="'007' and '7'"):
        assert wf.count(path, labels=["7", "007", "8"]).labels == ("7", "007", "8")
    write(path, '\ufefftrue,pred\n"a,b","""q"""\n')
    assert wf.count(path).labels == ('"q"', "a,b")
    write(path, 'true,pred\n"",b\n')
    assert wf.count(path).labels == ("", "b")  # a quoted empty label is a label
    with pytest.raises(wf.errors.LabelError, match="not among the declared"):
        wf.count(path, labels=["b", "c"])


def test_nasty_labels_are_escaped_in_every_format(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["true", "pred"], [NASTY, "=1+1"], ["=1+1", "=1+1"]])
    outputs = {
        f: run("score", path, "-f", f)[1] for f in ("text", "json", "markdown", "latex", "csv")
    }
    for output in outputs.values():
        assert "\x1b" not in output and "\u202e" not in output
    assert r"\x1b[31m|&<b>" in outputs["text"]
    assert "<b>" not in outputs["markdown"] and r"\|&amp;&lt;b&gt;" in outputs["markdown"]
    table = [line for line in outputs["markdown"].splitlines() if line.startswith("| \\x1b")]
    assert not table  # the backslash itself is escaped
    latex = outputs["latex"].replace(r"\allowbreak{}", "")
    assert r"\textbackslash{}cmd\{\%\}\textasciitilde{}" in latex
    rows = list(csv.reader(io.StringIO(outputs["csv"])))
    cells = [cell for row in rows for cell in row]
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    assert "'=1+1" in cells
    assert json.loads(outputs["json"])["labels"] == sorted([NASTY, "=1+1"])


def test_a_label_cannot_be_an_argument_of_a_latex_command(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", "true,pred\n[1em],*\n*,*\n")
    out = run("score", path, "-f", "latex")[1]
    lines = out.splitlines()
    assert not any(line.startswith(("[", "*")) for line in lines)
    assert any(line.startswith("{[}1em] &") for line in lines)


def test_asked_for_macro_f1_it_gives_both(run: Run) -> None:
    code, out, _ = run("score", ANIMALS, "-m", "macro F1")
    assert code == 0 and "averaged_f1" in out and "f1_of_averages" in out
    for arguments in (("define", "macro_f1"), ("score", ANIMALS, "--fail-under", "macro_f1=0.5")):
        code, _, err = run(*arguments)
        assert code == 2 and "could mean two formulas: averaged_f1" in err


SPAM, TOPICS = "examples/spam.csv", "examples/topics.csv"
PROBS = ("examples/animal_probabilities.csv", "--probs", "bird,cat,dog")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PROBS, "--ignore", "cat"), "no --ignore"),
        ((SPAM, "--score", "score", "--positive", "spam", "--ignore", "ham"), "no --ignore"),
        ((SPAM, "--score", "score", "--positive", "spam", "--undefined", "1"), "no --undefined"),
        ((*PROBS, "--average", "macro"), "without -m takes no --average"),
        ((*PROBS, "--positive", "cat"), "without -m takes no --positive"),
        ((*PROBS, "--positive", "cat", "-m", "brier"), "positive=, or pass the column"),
        ((TOPICS, "--labels-sep", ";", "--ignore", "art"), "no --ignore"),
        ((TOPICS, "--labels-sep", ""), "must not be empty"),
        ((ANIMALS, "-m", "accuracy", "--fail-under", "accuracy=nan"), "NAME=VALUE"),
        ((ANIMALS, "--fail-under", "error_rate=0.5"), "lower values of error_rate are better"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(
    run: Run, arguments: tuple[Any, ...], message: str
) -> None:
    code, out, err = run("score", *arguments)
    assert (code, out) == (2, "") and message in err


def test_scores_among_the_labels_are_refused(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "p.csv", "true,pred\n1,0.9\n0,0.2\n")
    code, _, err = run("score", path)
    assert code == 2 and "'0.2' is a number with a fraction" in err and "--score" in err


def test_a_floor_is_read_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    assert run("score", ANIMALS, "--fail-under", "nonsense=1", "-o", path)[0] == 2
    assert not path.exists()


def test_a_multi_class_auc_without_an_interval_is_printed(run: Run) -> None:
    code, out, _ = run("score", *PROBS, "-m", "roc_auc", "--average", "macro")
    assert code == 0 and "roc_auc(multi_class=ovr)|avg:macro" in out


def test_errors_do_not_carry_escape_codes(run: Run) -> None:
    _, _, err = run("score", "no\x1b[31m.csv")
    assert "\x1b" not in err and "cannot read" in err


def test_matrix(run: Run) -> None:
    code, out, _ = run("matrix", 2, 100, 10000, 0, 100)
    assert code == 0
    assert "0.5050" in out and "differ by 0.4853" in out
    assert "recall" not in out.splitlines()[2] and "add --rows true or --rows predicted" in out
    _, out, _ = run(
        "matrix", 2, 5, 10, 1, 2, "--rows", "predicted", "--labels", "a,b", "-m", "precision"
    )
    assert "0.3333" in out and "0.6667" in out
    for arguments, message in [
        ((2, 1, 2, 3), "2 classes need 4 cells; got 3"),
        ((2, 1, 2, 3, "x"), "whole numbers"),
        ((1, 5, "--rows", "gold"), "'true' or 'predicted'"),
        ((2, 1, 2, 3, 4, "-m", "precision"), "add --rows true"),
        ((2, 0, 2, 0, 3, "--classes", "true"), "add --rows true"),
        ((2, 1, 2, 3, 4, "--fail-under", "macro_recall=0.1"), "add --rows true"),
        ((2, 1, 2, 3, 4, "-m", "roc_auc"), "computed from scores"),
        ((2, 0, 0, 0, 0), "no items"),
    ]:
        code, _, err = run("matrix", *arguments)
        assert code == 2 and message in err, arguments


def test_scores_that_need_no_orientation_ask_for_none(run: Run) -> None:
    code, out, _ = run("matrix", 2, 1, 2, 3, 4, "-m", "mcc", "-m", "f1", "--average", "macro")
    assert code == 0 and "mcc" in out
    assert run("matrix", 2, 1, 2, 2, 4, "-m", "precision")[0] == 0  # a symmetric matrix


@pytest.mark.parametrize("matrix", ["2 5 10 1 2", "3 1 2 3 4 5 6 7 8 9"])
def test_without_orientation_only_symmetric_scores_are_printed(run: Run, matrix: str) -> None:
    outputs = [run("matrix", *matrix.split())[1]]
    k, *cells = map(int, matrix.split())
    transposed = [cells[j * k + i] for i in range(k) for j in range(k)]
    outputs.append(run("matrix", k, *transposed)[1])
    assert outputs[0] == outputs[1]


def test_metrics_and_define(run: Run) -> None:
    from whichf1.definitions.names import SHORTHANDS
    from whichf1.metrics import METRICS

    for format in ("text", "json", "markdown", "latex", "csv"):
        _, out, _ = run("metrics", "-f", format)
        for name in (*METRICS, *SHORTHANDS):
            assert name in out.replace(r"\_", "_").replace(r"\allowbreak{}", "")
    for name in (*METRICS, *SHORTHANDS, "TPR", "miss-rate", "f_beta(beta=2)|avg:macro"):
        code, out, _ = run("define", name)
        assert code == 0
        for word in ("formula", "meaning", "bounds", "0/0", "other names", "to paste", "signature"):
            assert f"\n{word}" in f"\n{out}", name
    _, out, _ = run("define", "averaged_f1")
    assert r"\frac{1}{r}\sum_x \frac{2\,TP_x}{2\,TP_x+FP_x+FN_x}" in out
    assert "and not the harmonic mean of averaged precision and recall" in out
    _, out, _ = run("define", "f1|avg:macro|undef:skip|scope:one-sided")
    assert r"H\!\left(\frac{TP_x}{TP_x+FP_x},\frac{TP_x}{TP_x+FN_x}\right)" in out
    assert run("define", "f7")[0] == 2


def test_output_files_are_written_whole(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.tex"
    code, out, _ = run("score", ANIMALS, "-f", "latex", "-o", path)
    assert (code, out) == (0, "") and path.read_text().endswith("\\par}\n")
    code, _, err = run("score", ANIMALS, "-o", tmp_path / "no" / "out.txt")
    assert code == 2 and "cannot write" in err
    assert list(tmp_path.iterdir()) == [path]


def test_colour_only_on_a_terminal_that_wants_it() -> None:
    import os
    import pty

    matrix = ["matrix", "2", "100", "10000", "0", "100"]

    def on_terminal(**environment: str | None) -> str:
        parent, child = pty.openpty()
        command = [sys.executable, "-c", "from whichf1.cli import main; main()", *matrix]
        wanted = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
        env = {key: value for key, value in wanted.items() if value is not None}
        subprocess.run(command, stdout=child, env=env, check=True)
        os.close(child)
        chunks = []
        while True:
            try:
                chunks.append(os.read(parent, 65536))
            except OSError:
                break
            if not chunks[-1]:
                break
        os.close(parent)
        return b"".join(chunks).decode()

    coloured = on_terminal(NO_COLOR=None)
    assert "\x1b[1m" in coloured
    assert "\x1b[3" not in on_terminal(NO_COLOR="1")


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -c 'from whichf1.cli import main; main()' define mcc | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("name ") and done.stderr == ""


def test_the_demo_is_what_the_readme_shows() -> None:
    done = subprocess.run(["make", "-n", "demo"], capture_output=True, text=True, check=True)
    assert "bin/whichf1 score examples/animals.csv\n" in done.stdout


def test_very_many_classes(run: Run, tmp_path: Path) -> None:
    lines = [f"{i},{(i + (i % 3 == 0)) % 12000}" for i in range(12000)]
    path = write(tmp_path / "p.csv", "true,pred\n" + "\n".join(lines) + "\n")
    code, out, _ = run("score", path, "--interval", "none")
    assert code == 0
    assert "… and 11,940 more classes: all are in --format csv" in out and "% of it." in out


def test_no_command_is_cut_off_in_the_list_of_commands(run: Run) -> None:
    _, out, _ = run("--help", COLUMNS="80")
    commands = out[out.index("Commands:") :].splitlines()[1:]
    assert len(commands) == len(app.commands)
    assert [line for line in commands if not line.endswith(".") or line.endswith("..")] == []


def test_the_list_of_commands_says_what_their_docstrings_begin_with() -> None:
    """It stands apart, so that --help and a shell's completion import no command."""
    for name, command in app.commands.items():
        about, help = COMMANDS[name][1], " ".join((command.help or "").split())
        assert help == about or help.startswith(f"{about} "), name


def test_without_a_command_the_help_is_shown(run: Run) -> None:
    assert run()[:2] == run("--help")[:2] and run()[0] == 0


def test_a_shell_completes_commands_and_options() -> None:
    shell = ShellComplete(app, {}, "whichf1", "_WHICHF1_COMPLETE")

    def completed(*words: str) -> list[str]:
        return [each.value for each in shell.get_completions([*words[:-1]], words[-1])]

    assert completed("co") == ["count", "compare", "convert"]
    assert completed("score", "--fail-o") == ["--fail-over", "--fail-over-high"]
    assert completed("score", "--format", "ju") == ["junit"]


def test_version(run: Run) -> None:
    assert run("--version")[1].startswith(f"whichf1 {wf.__version__}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-m", "accuracy|v:1", "--interval", "wilson"], "is complete"),
        (["-m", "accuracy|v:1", "--level", "0.9"], "is complete"),
        (["-m", "accuracy", "--interval", "none", "--level", "0.9"], "takes no --level"),
        (["-m", "accuracy", "--interval", "none", "--seed", "1"], "takes no --seed"),
        (["--by", ""], "--by takes names of columns"),
        (["--by", "true,,pred"], "--by takes names of columns"),
    ],
)
def test_options_that_would_be_passed_over_are_refused(
    run: Run, arguments: list[str], says: str
) -> None:
    code, out, err = run("score", ANIMALS, *arguments)
    assert code == 2 and not out and says in err


def test_a_table_without_intervals_has_no_column_for_them(run: Run) -> None:
    for format in ("markdown", "latex"):
        _, out, _ = run("score", ANIMALS, "-m", "accuracy", "--interval", "none", "-f", format)
        assert "interval" not in out


def test_slices_are_scored_by_both_macro_f1s_if_asked_for_macro_f1(run: Run) -> None:
    code, out, _ = run("score", ANIMALS, "--by", "gold", "-m", "macro_f1", "-f", "json")
    names = [metric["name"] for metric in json.loads(out)["metrics"]]
    assert code == 0 and names == ["averaged_f1", "f1_of_averages"]


FREQUENT = "true,pred,other,score,a,b,c,sets,guess,lang,f"
FREQUENT_ROWS = (
    "a,a,b,0.9,0.5,0.25,0.25,x;y,x,de,3", "b,a,b,0.4,0.25,0.5,0.25,y,y,de,1",
    "c,c,c,0.1,0.125,0.125,0.75,,y,en,0", "a,c,a,0.6,0.5,0.375,0.125,x,x;y,en,2",
    "c,c,a,0.3,0.25,0.25,0.5,x;y,x;y,en,4", "b,b,b,0.4,0.125,0.75,0.125,y,,de,2",
)  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        "score --pred pred",
        "score --pred pred --by lang",
        "score --score score --positive a",
        "score --score score --positive a --by lang",
        "score --probs a,b,c",
        "score --probs a,b,c --by lang",
        "score --true sets --pred guess --labels-sep ;",
        "score --true sets --pred guess --labels-sep ; --by lang",
        "compare --pred pred --pred other --replicates 99 --posterior --margin 0.1",
        "compare --pred pred --pred other -m mcc -m accuracy --show interval",
        "compare --true sets --pred guess --pred true --labels-sep ; --replicates 99",
        "compare --pred score --pred a -m roc_auc --positive a --replicates 99",
        "threshold --score score --positive a --metric f1 --labels a,b",
    ],
)
@pytest.mark.thinned(3)
def test_frequencies_are_repeated_rows(run: Run, words: str, tmp_path: Path) -> None:
    rows = [row.rsplit(",", 1) for row in FREQUENT_ROWS if "threshold" not in words or row[0] < "c"]
    again = [f"{row},{f}" for row, f in rows for _ in range(int(f))]
    path = tmp_path / "rows.csv"
    command, *rest = words.split()
    rest = rest if "--true" in rest else ["--true", "true", *rest]
    outputs = []
    for lines, more in ((map(",".join, rows), ["--frequencies", "f"]), (again, [])):
        path.write_text("\n".join([FREQUENT, *lines]) + "\n")
        code, out, err = run(command, path, *rest, *more, "-f", "json")
        assert code == 0, err
        outputs.append(out)
    assert outputs[0] == outputs[1]
