"""``whichf1 plot``: a picture of a file, or an error with exit code 2 and no file."""

from __future__ import annotations

from pathlib import Path

import pytest

import whichf1 as wf
from tests.helpers.commands import Run
from tests.helpers.readme import ROOT
from whichf1.reporting.pictures.drawing import rendered
from whichf1.reporting.pictures.kinds import every_kind

EXAMPLES = ROOT / "examples"
ANIMALS, SPAM, SYSTEMS = (EXAMPLES / f"{name}.csv" for name in ("animals", "spam", "systems"))
SCORES = ("--score", "score", "--positive", "spam")
PAIR = ("--pred", "careful", "--pred", "biased")


def spam() -> wf.Ranking:
    return wf.rank(str(SPAM), score="score", positive="spam")


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        (("confusion", ANIMALS, "--share", "predicted"),
         lambda: wf.picture(wf.count(str(ANIMALS)), "confusion", share="predicted")),
        (("plane", ANIMALS, "--title", ""),
         lambda: wf.picture(wf.count(str(ANIMALS)), "plane", title="")),
        (("roc", SPAM, *SCORES, "--band", "none"),
         lambda: wf.picture(spam(), "roc", band="none")),
        (("threshold", SPAM, *SCORES, "-m", "accuracy", "--band", "none"),
         lambda: wf.picture(wf.best_threshold(spam(), metric="accuracy"), band="none")),
        (("confusion", SPAM, *SCORES, "--threshold", "0.5"),
         lambda: wf.picture(wf.at_threshold(str(SPAM), 0.5, score="score", positive="spam"))),
        (("slices", SYSTEMS, "--pred", "weak", "--by", "gold", "-m", "accuracy"),
         lambda: wf.picture(wf.count_by(str(SYSTEMS), by="gold", pred="weak"), metric="accuracy")),
        (("comparison", SYSTEMS, *PAIR, "--margin", "0.1", "--level", "0.9"),
         lambda: wf.picture(wf.compare(str(SYSTEMS), [*PAIR[1::2]], margin=0.1, level=0.9))),
    ],
    ids=lambda x: x[0] if isinstance(x, tuple) else "",
)  # fmt: skip
def test_the_command_draws_what_the_function_draws(
    arguments: tuple[object, ...], same: object, run: Run, tmp_path: Path
) -> None:
    code, out, err = run("plot", *arguments, "-o", tmp_path / "x.svg")
    assert (code, out, err) == (0, "", "")
    assert callable(same)
    assert (tmp_path / "x.svg").read_bytes() == rendered(same(), "svg")


def test_several_columns_of_scores_are_several_curves(run: Run, tmp_path: Path) -> None:
    lines = ["gold,a,b", *(f"{at % 2},{at / 20},{(7 * at % 20) / 20}" for at in range(20))]
    (tmp_path / "two.csv").write_text("\n".join(lines))
    asked = ("--score", "a", "--score", "b", "--true", "gold", "--band", "none")
    assert run("plot", "pr", tmp_path / "two.csv", *asked, "-o", tmp_path / "x.svg")[0] == 0
    svg = (tmp_path / "x.svg").read_text()
    assert "a: average precision" in svg and "b: average precision" in svg
    by = ("--by", "gold", "--score", "a", "-m", "roc_auc", "--true", "gold")
    code, _, err = run("plot", "slices", tmp_path / "two.csv", *by, "-o", tmp_path / "y.svg")
    assert code == 2 and "undefined in every slice" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("confusoin", ANIMALS), "Did you mean 'confusion'"),
        (("confusion", ANIMALS, "-m", "f1"), "--metric is for"),
        (("confusion", SPAM, *SCORES), "no picture 'confusion', but roc"),
        (("confusion", ANIMALS, "--by", "gold"), "--by is for"),
        (("confusion", ANIMALS, "--band", "none"), "no option 'band'"),
        (("confusion", "absent.csv"), "absent.csv"),
        (("roc", SPAM, "--score", "score"), "--positive"),
        (("roc", ANIMALS, "--pred", "pred"), "--score"),
        (("reliability", SPAM, *SCORES, "--score", "score"), "use --score once"),
        (("slices", SYSTEMS, "--pred", "weak"), "--by"),
        (("comparison", SYSTEMS, "--pred", "weak"), "at least two systems"),
        (("flips", SYSTEMS, *PAIR, "--margin", "0.1"), "--margin is for"),
    ],
)
def test_bad_options_are_an_error_and_write_nothing(
    arguments: tuple[object, ...], words: str, run: Run, tmp_path: Path
) -> None:
    code, out, err = run("plot", *arguments, "-o", tmp_path / "x.png")
    assert code == 2 and out == "" and words in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "words"),
    [("x.bmp", ".svg, .pdf or .png"), ("none/x.png", "No such file"), (None, "-o")],
)
def test_bad_paths_are_an_error(name: str | None, words: str, run: Run, tmp_path: Path) -> None:
    output = () if name is None else ("-o", tmp_path / name)
    code, _, err = run("plot", "confusion", ANIMALS, *output)
    assert code == 2 and words in err and not list(tmp_path.iterdir())


def test_nan_and_one_class_are_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nan.csv").write_text("true,score\n0,0.1\n1,nan\n")
    (tmp_path / "one.csv").write_text("true,pred,score\n1,1,0.5\n1,1,0.6\n")
    for arguments, words in (
        (("roc", tmp_path / "nan.csv", "--score", "score"), "finite"),
        (("confusion", tmp_path / "one.csv"), "at least 2 classes"),
        (("roc", tmp_path / "one.csv", "--score", "score", "--positive", "1"), "positive"),
    ):
        code, _, err = run("plot", *arguments, "-o", tmp_path / "x.png")
        assert code == 2 and words in err, err
    assert not (tmp_path / "x.png").exists()


def test_the_kinds_are_listed(run: Run) -> None:
    code, out, _ = run("plot", "list")
    assert code == 0 and all(f"\n{name} " in out for name in every_kind())


def test_saved_tables_are_drawn(run: Run, tmp_path: Path) -> None:
    spam().save(tmp_path / "ranking.json")
    slices = wf.count_by(str(SYSTEMS), by="gold", pred="weak")
    slices.save(tmp_path / "slices.json")
    for kind, same in (("ranking", wf.picture(spam(), "gain")), ("slices", wf.picture(slices))):
        path = tmp_path / f"{kind}.svg"
        name = same.kind
        code, _, err = run("plot", name, tmp_path / f"{kind}.json", "-o", path)
        assert (code, err) == (0, "") and path.read_bytes() == rendered(same, "svg")
