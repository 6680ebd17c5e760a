"""Cases of the command line: exit codes, and what JSON and CSV contain besides prose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.goldens.calls import ROOT, as_csv, as_json, called, facts, metrics, signed
from tests.goldens.plain import Case
from tests.goldens.tables import folder

FILES = {
    "animals": "examples/animals.csv",
    "eight": "examples/eight.csv",
    "tables": "examples/paper_tables.csv --pred table_1",
    "systems": "examples/systems.csv --pred careful",
}


SCORE = (
    "-m averaged_f1 -m f1_of_averages --interval delta --level 0.9",
    "-m macro_f1 -m accuracy -m mcc --interval bootstrap --replicates 199 --seed 7",
    "-m averaged_f1 --interval percentile --replicates 99",
    "-m precision --average none --interval wilson",
    "-m recall --average macro --interval none",
    "-m f_beta(beta=2) --average weighted --undefined 1",
    "-m f1 --average micro --undefined skip --classes observed",
)
ANIMALS = (
    "--exclude fish -m averaged_f1",
    "--ignore fish,dog -m averaged_f1 -m accuracy",
    "--classes cat,dog -m averaged_f1 -m f1_of_averages",
    "--positive cat -m precision -m recall -m f1 --interval clopper-pearson",
    "--labels bird,cat,dog,fish,gnu -m averaged_f1 --undefined 1 --scope no-hits",
    "--labels gnu,fish,dog,cat,bird -m averaged_f1 --classes true",
    "--fail-under averaged_f1=0.99 -m accuracy",
    "--fail-under averaged_f1=0.01 -m accuracy",
    "-m f1|avg:macro|interval:delta|level:0.9",
)
BY = ("--by gold -m accuracy", "--by gold,pred -m recall --average macro")
WRONG = (
    *("score /no/such/file.csv", "score COUNTS -m no_such", "score", "nothing"),
    *(
        "score examples/animals.csv --true no",
        "score COUNTS --average macro",
        "score COUNTS --true x",
    ),
    *("score COUNTS --positive gnu -m f1", "score COUNTS --by gold", "matrix 2 1 2 3"),
    *("matrix 2 a b c d", "matrix 2 9 5 1 2 -m precision --average macro", "explain COUNTS"),
    *("score examples/spam.csv --score score --pred gold", "audit --precision 0.5", "define no"),
    *("compare examples/systems.csv --pred weak", "merge /no/such.json", "dialects --matrix 1"),
    *("score COUNTS --threshold 0.5", "threshold examples/spam.csv -m roc_auc"),
    *(
        "convert --matrix 2,9,5,1,2 --rows true --from sklearn --to nowhere",
        "count COUNTS --pred a",
    ),
    *("convert --matrix 2,9,5,1,2 --rows true --from sklearn --to keras --value 0.999",),
    *(
        "paper all --formats gif",
        "score COUNTS --interval none --level 0.9",
        "metrics --format xml",
    ),
)


def scores() -> Iterator[Case]:
    """``score`` on files of predictions, and ``matrix``."""
    for name, file in FILES.items():
        yield f"command/score/{name}", partial(as_json, f"score {file}")
    yield (
        "command/score/systems by document",
        partial(as_json, f"score {FILES['systems']} --cluster document -m averaged_f1 -m mcc"),
    )
    for given in (*SCORE, *ANIMALS):
        yield f"command/score/counts {given}", partial(as_json, f"score COUNTS {given}")
    for given in (ANIMALS[4], *BY):
        text = f"score {FILES['animals']} {given}"
        yield f"command/score/animals {given}", partial(as_json, text)
    yield "command/score/csv", partial(as_csv, "score COUNTS")
    run = partial(as_csv, "score examples/systems.csv --pred weak --by document -m accuracy")
    yield "command/score/csv by document", run
    for kind in ("text", "markdown", "latex"):
        yield f"command/score/{kind}", partial(signed, f"score COUNTS --signature full -f {kind}")
    table = "2 100 10000 0 100"
    for given in ("", "--rows true", "--rows predicted --labels a,b", "-m averaged_f1 -m mcc"):
        yield f"command/matrix/{given}", partial(as_json, f"matrix {table} {given}")
    three = "3 5 1 0 2 7 3 0 4 9 --rows true --labels x,y,z"
    for given in (
        "-m f1 --positive y --interval bca --replicates 199",
        "--exclude x -m averaged_f1 --level 0.8",
        "-m accuracy --interval jeffreys",
        "-m cohen_kappa(weighting=linear) --interval none",
        "-m weighted_f1 --fail-under weighted_f1=0.9",
    ):
        yield f"command/matrix/three {given}", partial(as_json, f"matrix {three} {given}")
    yield "command/matrix/csv", partial(as_csv, f"matrix {three}")
    for text in WRONG:
        yield f"command/wrong/{text}", partial(exit_code, text)


def exit_code(text: str) -> int:
    """The exit code alone."""
    return called(text)[0]


def scored() -> Iterator[Case]:
    """``score`` and ``threshold`` on files of scores, probabilities and sets of labels."""
    spam, several = "examples/spam.csv --score score", "examples/animal_probabilities.csv"
    topics = "examples/topics.csv --labels-sep ;"
    for text in (
        f"score {spam} --positive spam",
        f"score {spam} --positive spam --threshold 0.5",
        f"score {spam} --positive spam -m roc_auc -m ks --interval bootstrap --replicates 199",
        f"score {several} --probs bird,cat,dog",
        f"score {topics} --pred pred",
        f"score {topics} --pred cautious -m hamming_loss -m f1 --average samples",
        f"score {topics} --pred pred --by cautious -m subset_accuracy",
        f"threshold {spam} --positive spam",
        f"threshold {spam} --positive spam -m mcc --around 1",
        f"threshold {spam} --positive ham -m error_rate --around 0",
    ):
        yield f"command/{text}", partial(as_json, text)
    for text in (
        "score TABLE --true gold --pred pred --weights w --cluster doc -m macro_f1",
        "score TABLE --true gold --pred pred --by lang,spam --weights w",
        "score LINES --true gold --pred other -m mcc",
        "score TABLE --true gold --probs bee=bee,ant=ant,cat=cat --weights w -m log_loss",
        "score TABLE --true spam --score score --cluster doc -m roc_auc --weights w",
        "score TABLE --true spam --score score --by lang",
        "score TABLE --true tags --pred found --labels-sep ; --weights w -m averaged_f1",
        "threshold TABLE --true spam --score score --weights w --around 1",
    ):
        yield f"command/{text}", partial(as_json, text)
    yield "command/score/standard input", partial(from_input)
    for text in (f"threshold {spam} --positive spam --around 2", f"score {spam} --positive spam"):
        yield f"command/csv {text}", partial(as_csv, text)


def from_input() -> Any:
    """Predictions from standard input."""
    lines = (ROOT / FILES["eight"]).read_bytes()
    return as_json("score - --from csv -m averaged_f1", lines)


def compared() -> Iterator[Case]:
    """``compare`` on every file that fits."""
    systems = "compare examples/systems.csv --pred careful --pred biased --pred weak"
    for given in (
        "--replicates 199",
        "--replicates 99 --cluster document -m accuracy --margin 0.05 --power 0.9",
        "--replicates 0 -m mcc --level 0.9",
        "--replicates 99 --seed 3 -m f1 --average weighted --exclude fish",
    ):
        yield f"command/compare/{given}", partial(as_json, f"{systems} {given}")
    yield "command/compare/csv", partial(as_csv, f"{systems} --replicates 99")
    run = partial(signed, f"{systems} --replicates 99 -f markdown")
    yield "command/compare/markdown", run
    for text in (
        "examples/paper_tables.csv --pred table_1 --pred table_2 --replicates 199",
        "examples/topics.csv --pred pred --pred cautious --labels-sep ; --replicates 99",
        "examples/topics.csv --pred pred --pred cautious --labels-sep ; --replicates 99"
        " -m hamming_loss",
        "TABLE --true spam --pred score --pred weaker -m roc_auc --replicates 99 --cluster doc",
        "TABLE --true spam --pred score --pred weaker -m ks --replicates 99 --weights w",
        "TABLE --true gold --pred pred --pred other --weights w --replicates 99 --margin 0.1",
    ):
        yield f"command/compare/{text}", partial(as_json, f"compare {text}")


def published() -> Iterator[Case]:
    """``explain``, ``dialects``, ``convert``, ``audit``, ``metrics`` and ``define``."""
    for text in (
        "explain examples/eight.csv --value 0.35",
        "explain --matrix 2,5,10,5,10 --rows predicted --value 48.6",
        "dialects examples/eight.csv",
        "dialects --matrix 2,100,10000,0,100 --rows predicted --labels a,b",
        "convert examples/animals.csv --from sklearn --to keras",
        "convert --matrix 2,9,5,1,2 --rows true --from sklearn"
        " --to f1|avg:macro|formula:of-averages",
        "convert --matrix 2,9,5,1,2 --rows true --from spark --to sklearn --value 0.688",
        "audit examples/results.csv",
        "audit examples/results.csv --classes 3 --scale percent",
        "audit --precision 62.0 --recall 58.1 --f1 57.3",
        "audit --precision 0.9 --recall 0.3 --f1 0.45 --classes 3",
        "audit --precision 0.8 --recall 0.7 --f1 0.7 --value-decimals 2",
        "audit --precision 0.5 --recall 0.5 --f1 0.49 --matrix 2,5,10,5,10 --rows predicted",
    ):
        yield f"command/{text}", partial(listed, text)
    yield "command/csv audit", partial(as_csv, "audit examples/results.csv")
    yield "command/csv dialects", partial(as_csv, "dialects --matrix 2,9,5,0,0 --rows true")
    yield "command/dialects", partial(listed, "dialects")
    yield "command/metrics", partial(metrics)
    for name in (
        *("f1", "averaged_f1", "f1_of_averages", "kappa", "roc_auc", "ece", "log_loss", "lrap"),
        *("f1|avg:weighted|undef:skip", "f_beta(beta=2)|positive:1", "hamming_loss", "mcc"),
    ):
        yield f"command/define/{name}", partial(facts, name)


def listed(text: str) -> Any:
    """JSON with long lists of rows: of explanations and dialects a part."""
    code, found = as_json(text)
    for row in found["rows"] if found else []:
        row.pop("read_from", None)
    if text.startswith("explain") and found:
        found["rows"] = [len(found["rows"]), *found["rows"][:10]]
    return [code, found]


def counted() -> Iterator[Case]:
    """``count`` and ``merge``, and ``score`` of what they write."""
    for given in ("", "--cluster document", "--labels bird,cat,dog,fish,gnu"):
        yield f"command/count/{given}", partial(count_and_merge, given)


def count_and_merge(given: str) -> Any:
    """Counts of two systems' predictions, merged, and scored from standard input."""
    codes, paths = [], []
    for name in ("careful", "weak"):
        paths.append(str(folder() / f"{name} counts.json"))
        text = f"count examples/systems.csv --pred {name} {given} -o".split()
        codes.append(called([*text, paths[-1]])[0])
    code, out = called(["merge", *paths])
    scored = as_json("score - -m averaged_f1 -m accuracy", out.encode())
    record = json.loads(out)
    sizes = {key: len(each) if isinstance(each, list) else each for key, each in record.items()}
    return [*codes, code, sizes, record["labels"], sum(record["count"]), scored]
