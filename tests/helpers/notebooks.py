"""Notebooks of ``examples/``: run their cells in this process, and write what they show.

``python -m tests.helpers.notebooks`` runs every notebook again. No Jupyter is needed: the last
expression of a cell is displayed as a notebook would, and figures as pictures.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import matplotlib

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def notebooks() -> list[Path]:
    """Every notebook."""
    return sorted(EXAMPLES.glob("*.ipynb"))


def run(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, all run in order."""
    from matplotlib import pyplot

    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    matplotlib.use("agg")
    pyplot.close("all")  # what others drew is not the notebook's
    with contextlib.chdir(EXAMPLES):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                number += 1
                cell["execution_count"] = number
                cell["outputs"] = list(_outputs("".join(cell["source"]), names, number))
    return notebook


def _outputs(code: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    from matplotlib import pyplot

    body = ast.parse(code)
    last = body.body.pop() if body.body and isinstance(body.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(body, "cell", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    figures = [pyplot.figure(at) for at in pyplot.get_fignums()]
    if value is not None and not figures:
        show = getattr(value, "_repr_mimebundle_", lambda: {"text/plain": repr(value)})
        data = {form: text.splitlines(keepends=True) for form, text in show().items()}
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        outputs.append({**result, "data": data})
    for figure in figures:
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=80, metadata={"Software": None})
        data = {"image/png": base64.b64encode(picture.getvalue()).decode() + "\n"}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
        pyplot.close(figure)
    return outputs


def without_pictures(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with its figures counted, since their bytes vary with versions."""
    plain: dict[str, Any] = json.loads(json.dumps(notebook))
    for cell in plain["cells"]:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = "a picture"
    return plain


if __name__ == "__main__":
    for each in notebooks():
        text = json.dumps(run(each), indent=1, ensure_ascii=False)
        each.write_text(f"{text}\n", encoding="utf-8")
