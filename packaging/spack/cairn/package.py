# A recipe for Spack; docs/cluster.md tells how to use it.
from spack.package import *


class Cairn(CMakePackage):
    """Task-based simulator of granular matter and rubble piles on StarPU."""

    license("Apache-2.0")

    version("main")

    variant("opencl", default=False, description="Compute forces on OpenCL devices too")

    variant("mpi", default=True, description="Runs over several nodes")

    depends_on("c", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    # at most as many CPU workers as the machine that builds it has cores
    depends_on("starpu@1.3:1.4")
    depends_on("hwloc@2:")
    depends_on("netcdf-c")
    depends_on("hdf5")
    depends_on("libyaml")
    depends_on("xxhash")
    depends_on("libpng")
    depends_on("starpu+mpi", when="+mpi")
    depends_on("mpi", when="+mpi")
    depends_on("starpu+opencl", when="+opencl")
    depends_on("opencl", when="+opencl")

    def cmake_args(self):
        return [
            self.define_from_variant("CAIRN_OPENCL", "opencl"),
            self.define_from_variant("CAIRN_MPI", "mpi"),
            self.define("CAIRN_TESTS", False),
        ]
