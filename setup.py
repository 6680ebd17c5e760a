"""The C extension is optional: without a C compiler, NumPy takes over."""

import os
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel

C = Path("src/whichf1/kernel/c")
WINDOWS = sys.platform == "win32"
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


class Wheel(bdist_wheel):
    """A wheel for this platform if the extension was compiled, else one for any platform."""

    def run(self) -> None:
        """Compile first, as the tag of the wheel depends on what came of it."""
        self.run_command("build_ext")
        built = self.get_finalized_command("build_ext")
        if not all(os.path.exists(path) for path in built.get_outputs()):
            self.distribution.ext_modules = []
            self.root_is_pure, self.py_limited_api = True, False
        super().run()


compile_args = ["-std=c11", "-O3", "-pthread", "-ffp-contract=off"]  # the same bits everywhere
extension = Extension(
    "whichf1.kernel._native",
    sources=sorted(path.as_posix() for path in C.glob("*.c")),
    depends=sorted(path.as_posix() for path in (*C.glob("*.h"), *C.glob("*.inc"))),
    extra_compile_args=["/std:c11"] if WINDOWS else compile_args,
    extra_link_args=[] if WINDOWS else ["-pthread"],
    define_macros=[("Py_GIL_DISABLED", "1")] if FREE_THREADED else [],
    py_limited_api=not FREE_THREADED,
    optional=True,
)

setup(
    ext_modules=[extension],
    cmdclass={"bdist_wheel": Wheel},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
