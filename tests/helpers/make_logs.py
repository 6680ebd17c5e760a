"""Makes tests/data/logs with the programs themselves, in an environment that has both:

    pip install 'lm-eval==0.4.13' 'inspect-ai==0.3.285'
    python tests/helpers/make_logs.py tests/data/logs

No model is needed: lm-evaluation-harness has a dummy one, and Inspect a mock. Those in mixed have
tasks with different metrics and filters; chat and shuffled have messages and no ids.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

TASK = """task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}\\nAnswer:"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
"""

WRITTEN = """task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{'lol' if answer else 'no'}}}}"
repeats: 2
generation_kwargs:
  until: ["\\n"]
  do_sample: true
filter_list:
  - name: first
    filter:
      - function: take_first
  - name: majority
    filter:
      - function: majority_vote
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""


def questions(many: int = 12) -> dict[str, list[dict[str, Any]]]:
    """Two small tasks."""
    rng = random.Random(1)
    sums = []
    for at in range(many):
        a, b = rng.randint(1, 9), rng.randint(1, 9)
        choices = [str(a + b), str(a + b + 1), str(a * b + 2), str(abs(a - b))]
        rng.shuffle(choices)
        answer = choices.index(str(a + b))
        question = f"What is {a} + {b}? ({at})"
        sums.append(
            {"topic": f"t{at % 4}", "question": question, "choices": choices, "answer": answer}
        )
    parity = [
        {"topic": f"t{at // 3}", "question": f"Is {at} even?", "choices": ["no", "yes"],
         "answer": int(at % 2 == 0)}
        for at in range(many - 2)
    ]  # fmt: skip
    return {"sums": sums, "parity": parity}


def harness(folder: Path) -> None:
    """Two runs of lm-evaluation-harness on both tasks, which differ in the seed of the model."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for task, rows in questions().items():
            data = work / f"{task}.jsonl"
            data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
            (work / f"{task}.yaml").write_text(TASK.format(task=task, data=data))
        written = WRITTEN.format(task="written", data=work / "parity.jsonl")
        (work / "written.yaml").write_text(written)
        systems = [("first", "sums,parity"), ("second", "sums,parity")]
        systems += [("mixed/first", "sums,written"), ("mixed/second", "sums,written")]
        for at, (system, tasks) in enumerate(systems):
            seed, out = at % 2 + 1, work / system
            command = [
                sys.executable,
                "-m",
                "lm_eval",
                "--model",
                "dummy",
                "--tasks",
                tasks,
            ]
            command += ["--include_path", str(work), "--log_samples", "--output_path", str(out)]
            subprocess.run([*command, "--seed", str(seed)], check=True)
            (folder / system).mkdir(parents=True, exist_ok=True)
            for path in out.rglob("samples_*.jsonl"):
                shutil.copy(path, folder / system / path.name)


def inspect(folder: Path, many: int = 8) -> None:
    """Two evaluations by Inspect, with two epochs each; one of them in both formats."""
    inspect_ai, model = import_module("inspect_ai"), import_module("inspect_ai.model")
    dataset, scorer, solver = (
        import_module(f"inspect_ai.{name}") for name in ("dataset", "scorer", "solver")
    )
    rows = questions()["sums"][:many]

    def outputs(share: float, seed: int) -> list[Any]:
        rng, made = random.Random(seed), []
        for row in rows * 2:
            text = row["choices"][row["answer"]] if rng.random() < share else "999"
            output = model.ModelOutput.from_content("mockllm/model", text)
            output.usage = model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            made.append(output)
        return made

    samples = [
        dataset.Sample(
            id=at,
            input=row["question"],
            target=row["choices"][row["answer"]],
            metadata={"topic": row["topic"]},
        )
        for at, row in enumerate(rows, 1)
    ]
    for name, share, seed, formats in (
        ("good", 0.9, 1, ("eval", "json")),
        ("poor", 0.4, 2, ("eval",)),
    ):
        for format in formats:
            task = inspect_ai.Task(
                dataset=dataset.MemoryDataset(samples, name="sums"),
                solver=solver.generate(),
                scorer=scorer.match(),
                name="sums",
            )
            mock = model.get_model(
                "mockllm/model", custom_outputs=outputs(share, seed), memoize=False
            )
            with tempfile.TemporaryDirectory() as work:
                how = {"log_dir": work, "log_format": format, "display": "none"}
                inspect_ai.eval(task, model=mock, epochs=2, max_samples=1, max_connections=1, **how)
                (made,) = Path(work).glob(f"*.{format}")
                shutil.copy(made, folder / f"{name}.{format}")
    user = model.ChatMessageUser
    chats = [
        dataset.Sample(id=x.id, input=[user(content=x.input)], target=x.target) for x in samples
    ]
    unnamed = [dataset.Sample(input=x.input, target=x.target) for x in samples]
    for name, asked in (("chat", chats), ("shuffled", unnamed)):
        for seed, system in enumerate("ab"):
            shown = dataset.MemoryDataset(asked, name=name)
            if name == "shuffled":
                shown.shuffle(seed=seed)
            task = inspect_ai.Task(
                dataset=shown, solver=solver.generate(), scorer=scorer.match(), name=name
            )
            mock = model.get_model(
                "mockllm/model", custom_outputs=outputs(0.6, seed), memoize=False
            )
            with tempfile.TemporaryDirectory() as work:
                how = {"log_dir": work, "log_format": "eval", "display": "none"}
                inspect_ai.eval(task, model=mock, max_samples=1, max_connections=1, **how)
                (made,) = Path(work).glob("*.eval")
                shutil.copy(made, folder / f"{name}-{system}.eval")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    harness(target)
    inspect(target)
