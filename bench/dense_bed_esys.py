"""The dense bed in ESyS-Particle (Debian package esys-particle), for dense_bed_bonds.sh:

  mpirun -np 1+W esysparticle dense_bed_esys.py BED NX NY W LAW RELAX STEPS REPEATS

One process of ESyS-Particle only distributes work: with W workers it has W + 1 processes. LAW is hertz (spheres that do
not rotate, the law of Tancredi et al. 2012), mindlin (rotating spheres), spring or beam: bonds between all spheres that
touch. Prints the best body-steps per second of REPEATS stretches after RELAX steps."""
import sys
import time

from esys.lsm import *
from esys.lsm.geometry import SimpleSphere, TaggedIdConnection
from esys.lsm.util import *

from tiled_bed import spheres, touching

BED, NX, NY, WORKERS, LAW, RELAX, STEPS, REPEATS = sys.argv[1:9]
NX, NY, WORKERS, RELAX, STEPS, REPEATS = (int(v) for v in (NX, NY, WORKERS, RELAX, STEPS, REPEATS))
SKIN = 0.1


def laws(sim):
    """Constants as in dense_bed.c; bonds are as stiff as the springs of its Hooke law, and never break."""
    if LAW == "hertz":
        sim.createInteractionGroup(HertzianViscoElasticFrictionPrms(
            name="contact", A=2e-5, E=6.825e7, nu=0.3, dynamicMu=0.5, shearK=8e4))
    elif LAW == "mindlin":
        sim.createInteractionGroup(HertzMindlinViscoPrms(
            name="contact", youngsModulus=6.825e7, poissonsRatio=0.3, dynamicMu=0.5, restitution=0.7))
    elif LAW == "spring":
        sim.createInteractionGroup(NRotBondPrms(name="bond", normalK=2e5, breakDistance=10.0, tag=1, scaling=False))
        sim.createInteractionGroup(NRotFrictionPrms(
            name="contact", normalK=2e5, dynamicMu=0.5, shearK=57142.857, scaling=False))
        sim.createExclusion("bond", "contact")
    else:
        sim.createInteractionGroup(BrittleBeamPrms(
            name="bond", youngsModulus=2.5e5, poissonsRatio=0.25, cohesion=1e9, tanAngle=1.0, tag=1))
        sim.createInteractionGroup(FrictionPrms(
            name="contact", youngsModulus=2.5e5, poissonsRatio=0.25, dynamicMu=0.5, staticMu=0.5))
        sim.createExclusion("bond", "contact")


def walls(sim, box):
    faces = (((0, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0)), ((box[0], 0, 0), (-1, 0, 0)),
             ((0, box[1], 0), (0, -1, 0)))
    for k, (point, normal) in enumerate(faces):
        sim.createWall(name=f"wall{k}", posn=Vec3(*point), normal=Vec3(*normal))
        sim.createInteractionGroup(NRotElasticWallPrms(name=f"touch{k}", wallName=f"wall{k}", normalK=2e5))


class Clock(Runnable):
    """The time after every step, from the master."""

    def __init__(self):
        Runnable.__init__(self)
        self.times = []

    def run(self):
        self.times.append(time.time())


def main():
    box, rows = spheres(BED, NX, NY)
    sim = LsmMpi(numWorkerProcesses=WORKERS, mpiDimList=[WORKERS, 1, 1])
    sim.initNeighbourSearch(particleType="NRotSphere" if LAW in ("hertz", "spring") else "RotSphere", gridSpacing=1.3,
                            verletDist=SKIN)
    sim.setSpatialDomain(BoundingBox(Vec3(-2, -2, -2), Vec3(box[0] + 2, box[1] + 2, box[2] + 2)))
    sim.setNumTimeSteps(RELAX + STEPS * REPEATS + 1)
    sim.setTimeStepSize(1e-4)
    sim.createParticles([SimpleSphere(i, Vec3(x, y, z), r, 8 * r**3) for i, (x, y, z, r) in enumerate(rows)])
    if LAW in ("spring", "beam"):
        sim.createConnections([TaggedIdConnection(i, j, 1) for i, j in touching(rows)])
    laws(sim)
    walls(sim, box)
    sim.createInteractionGroup(GravityPrms(name="pull", acceleration=Vec3(0, 0, -1)))
    clock = Clock()
    sim.addPostTimeStepRunnable(clock)
    sim.run()
    marks = [clock.times[RELAX + STEPS * k] for k in range(REPEATS + 1)]
    best = min(b - a for a, b in zip(marks, marks[1:]))
    print(f"bodies {len(rows)} speed {len(rows) * STEPS / best:.4g}", flush=True)


main()
