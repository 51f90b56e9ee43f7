"""Builds libcairn.so with CMake from the checkout around this folder and puts it into the package:

    pip install ./python

CAIRN_PREBUILT names a libcairn.so that is there already."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

here = pathlib.Path(__file__).resolve().parent
root = here.parent


class Build(build_py):
    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib) / "cairn" / "libcairn.so"
        prebuilt = os.environ.get("CAIRN_PREBUILT")
        if not prebuilt:
            folder = pathlib.Path(self.build_lib).resolve().parent / "cmake"
            subprocess.run(["cmake", "-S", str(root), "-B", str(folder), "-DCAIRN_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Release"], check=True)
            subprocess.run(["cmake", "--build", str(folder), "--target", "cairn_python", "-j"], check=True)
            prebuilt = folder / "python" / "libcairn.so"
        shutil.copy(prebuilt, target)


class Binary(Distribution):
    def has_ext_modules(self):  # the wheel is for this platform
        return True


text = (root / "include" / "cairn" / "version.h").read_text() if (root / "include").exists() else ""
version = ".".join(re.findall(r"#define CAIRN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text)) or "0.0.0"
setup(name="cairn", version=version, description="Granular matter and rubble piles on a task engine",
      packages=["cairn"], package_data={"cairn": ["py.typed", "libcairn.so"]}, python_requires=">=3.9",
      install_requires=["numpy"], extras_require={"results": ["xarray", "netCDF4", "pandas", "matplotlib"]},
      license="Apache-2.0", cmdclass={"build_py": Build}, distclass=Binary)
