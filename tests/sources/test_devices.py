"""Arrays on a device are counted there; the only device is the CPU.

The devices of array-api-strict are not the CPU as far as anyone can see: NumPy cannot read them.
"""

from __future__ import annotations

from typing import Any

import array_api_strict as strict
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import whichf1 as wf
from whichf1.errors import LabelError, ShapeError
from whichf1.sources import devices
from whichf1.sources.sequences import is_on_device

DEVICE = strict.Device("device1")
RNG = np.random.default_rng(8)
Y = RNG.integers(-3, 4, 200)
P = np.where(RNG.random(200) < 0.6, Y, RNG.integers(-3, 4, 200))


def there(values: Any) -> Any:
    return strict.asarray(np.asarray(values), device=DEVICE)


class Far:
    """An array as CuPy has it: NumPy may not read it, and ``get`` copies it."""

    device = "<CUDA Device 0>"

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.ndim, self.shape, self.dtype = (
            self._values.ndim,
            self._values.shape,
            self._values.dtype,
        )

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __float__(self) -> float:
        raise TypeError("not without .get()")

    def __getitem__(self, at: Any) -> Far:
        return Far(self._values[at])

    def get(self) -> Any:
        """A copy in memory."""
        return self._values


def test_numpy_cannot_see_the_device() -> None:
    with pytest.raises(RuntimeError, match="Can't convert"):
        np.asarray(there(Y))
    assert is_on_device(there(Y))
    for here in (strict.asarray(Y), torch.tensor(Y), jnp.asarray(Y), Y, [0, 1], None):
        assert not is_on_device(here)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        (Y, P),
        (Y.astype(np.int8), P),
        (Y > 0, P > 0),
        (Y * 2**40, P * 2**40),
        (np.zeros(3, np.int64), np.zeros(3, np.int64)),
    ],
)
def test_only_a_table_leaves_the_device(y: Any, p: Any) -> None:
    expected = wf.count(y, p)
    counts = wf.count(there(y), there(p))
    assert counts == expected and not counts.declared and counts.n == len(y)
    labels = [*expected.labels]
    assert wf.count(there(y), there(p), labels=labels) == wf.count(y, p, labels=labels)
    assert wf.averaged_f1(there(y), there(p)) == wf.averaged_f1(y, p)
    kept = wf.count(y, p, ignore=labels[:1], labels=labels) if len(labels) > 1 else None
    if kept is not None:
        assert wf.count(there(y), there(p), ignore=labels[:1], labels=labels) == kept


@pytest.mark.parametrize("make", [strict.asarray, torch.tensor, jnp.asarray, np.asarray])
def test_every_library_is_counted_alike(make: Any) -> None:
    assert devices.count_on_device(make(Y), make(P)) == wf.count(Y, P)
    assert devices.count_on_device(make(Y > 0), make(P > 0)) == wf.count(Y > 0, P > 0)


def test_an_accumulator_takes_batches_of_a_device() -> None:
    acc = wf.Accumulator(labels=range(-3, 4), ignore=[-100])
    for at in (slice(0, 90), slice(90, 200)):
        acc.update(there(Y[at]), there(P[at]))
    assert acc.counts == wf.count(Y, P, labels=range(-3, 4))


def test_bad_arrays_of_a_device() -> None:
    with pytest.raises(ShapeError, match="200 items, y_pred has 3"):
        wf.count(there(Y), there(P[:3]))
    with pytest.raises(ShapeError, match="no items"):
        wf.count(there(Y[:0]), there(P[:0]))
    with pytest.raises(LabelError, match="-3"):
        wf.count(there(Y), there(P), labels=range(4))


def test_what_cannot_be_counted_on_a_device_is_counted_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for y, p in ((torch.tensor(Y), P), (torch.ones(2, 2), torch.ones(2, 2))):
        assert devices.count_on_device(y, p) is None
    assert devices.count_on_device(torch.tensor(Y), torch.tensor(P).float()) is None
    assert devices.count_on_device(jnp.asarray(Y), strict.asarray(P)) is None
    many = np.arange(46_341)
    assert devices.count_on_device(many, many) is None
    monkeypatch.setattr("whichf1.sources.arrays.is_on_device", lambda _: True)
    monkeypatch.setitem(__import__("sys").modules, "array_api_compat", None)
    assert wf.count(torch.tensor(Y), torch.tensor(P)) == wf.count(Y, P)


CHANCE = RNG.random((200, 7))
CHANCE /= CHANCE.sum(1, keepdims=True)
SETS = RNG.random((2, 200, 3)) < 0.4
KINDS: dict[str, Any] = {
    "counts": lambda of: wf.count(of(Y), of(P)),
    "one side": lambda of: wf.count(of(Y), P),
    "weights": lambda of: wf.count(of(Y), of(P), weights=of(CHANCE[:, 0])),
    "clusters": lambda of: wf.count(of(Y), of(P), cluster=of(Y + 3)),
    "score": lambda of: wf.averaged_f1(of(Y), of(P), interval="auto"),
    "class": lambda of: wf.recall(of(Y), of(P), positive=2),
    "ranking": lambda of: wf.roc_auc(of(Y > 0), of(CHANCE[:, 0])),
    "weighted ranking": lambda of: wf.roc_auc(of(Y > 0), of(P / 7.0), weights=of(CHANCE[:, 0])),
    "several classes": lambda of: wf.roc_auc(of(Y), of(CHANCE), average="macro"),
    "loss": lambda of: wf.log_loss(of(Y), of(CHANCE)),
    "curve": lambda of: wf.rank(of(Y > 0), of(CHANCE[:, 0])),
    "sets": lambda of: wf.count_multilabel(of(SETS[0] + 0), of(SETS[1] + 0)),
    "labels ranked": lambda of: wf.coverage_error(of(SETS[0] + 0), of(CHANCE[:, :3])),
    "comparison": lambda of: wf.compare(of(Y), {"a": of(P), "b": of(Y)}, "accuracy").pairs,
    "moments": lambda of: wf.moments(of(Y), of(CHANCE), "brier"),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("of", [there, Far], ids=["strict", "as CuPy"])
def test_what_a_table_does_not_hold_is_copied_explicitly(name: str, of: Any) -> None:
    """Without a namespace of the array API, and for all that is not a pair of integer arrays."""
    assert KINDS[name](of) == KINDS[name](np.asarray)


@pytest.mark.parametrize("of", [there, Far], ids=["strict", "as CuPy"])
def test_every_accumulator_takes_batches_of_a_device(of: Any) -> None:
    kinds: list[Any] = [
        (wf.count, (Y, P), {"labels": range(-3, 4)}),
        (wf.rank, (Y > 0, CHANCE[:, 0]), {}),
        (wf.count_multilabel, (SETS[0] + 0, SETS[1] + 0), {}),
    ]
    for count, sides, options in kinds:
        for more in ({}, {"weights": CHANCE[:, 1]}):
            acc = wf.Accumulator(count, **options)
            for at in (slice(0, 90), slice(90, 200)):
                batch = {name: of(each[at]) for name, each in more.items()}
                acc.update(*(of(side[at]) for side in sides), **batch)
            whole = wf.Accumulator(count, **options)
            for at in (slice(0, 90), slice(90, 200)):
                batch = {name: each[at] for name, each in more.items()}
                whole.update(*(side[at] for side in sides), **batch)
            assert acc.counts == whole.counts
