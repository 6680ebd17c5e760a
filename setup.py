"""The C extension is optional: the install succeeds without a C compiler."""

import sys
from pathlib import Path

from setuptools import Extension, setup

C = Path("src/whichf1/kernel/c")
flags = [] if sys.platform == "win32" else ["-std=c11", "-O3", "-pthread"]

setup(
    ext_modules=[
        Extension(
            "whichf1.kernel._native",
            sources=sorted(path.as_posix() for path in C.glob("*.c")),
            depends=sorted(path.as_posix() for path in (*C.glob("*.h"), *C.glob("*.inc"))),
            extra_compile_args=flags,
            extra_link_args=[] if sys.platform == "win32" else ["-pthread"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
