"""Prep: what the CPUs can decode, crop and tokenise a second."""

from __future__ import annotations

import numpy as np

from gpurent.hardware.machines import Floats
from gpurent.tables import constants


def prep_rate(vcpus: Floats, efficiency: Floats, cpu_index: Floats, prep_s_per_sample: float) -> Floats:
    """Samples per second that all vCPUs prepare together.

        prep_samples_per_s = vcpus * e * (J / 500) / prep_s_per_sample

    No core is kept back: one core feeds 250-296 images/s in measurements. Infinite where nothing is prepared.

    Args:
        vcpus: virtual CPUs of the machine.
        efficiency: e, work of a vCPU in units of a whole core (0.5 to 1).
        cpu_index: J, stress-ng JPEG images/s of one thread.
        prep_s_per_sample: seconds on a core of J = 500.

    Source: table host_model (reference index), pipelines (seconds), cpus (J and e).

    >>> float(prep_rate(np.array(10.0), np.array(1.0), np.array(500.0), 0.01))
    1000.0
    """
    cores = np.asarray(vcpus) * efficiency * (np.asarray(cpu_index) / constants("host_model")["reference_index"])
    if prep_s_per_sample <= 0:
        return np.full(np.shape(cores), np.inf)
    rate: Floats = cores / prep_s_per_sample
    return rate


def most_workers(vcpus: Floats) -> Floats:
    """Loader workers a machine may start: max(1, vcpus - 1), whole.

    >>> most_workers(np.array([1.0, 8.0, 7.5])).tolist()
    [1.0, 7.0, 6.0]
    """
    workers: Floats = np.maximum(1.0, np.floor(np.asarray(vcpus) - 1.0))
    return workers


def serial_loader_rate(
    workers: Floats,
    vcpus: Floats,
    efficiency: Floats,
    cpu_index: Floats,
    prep_s_per_sample: float,
    wait_s_per_sample: Floats | float = 0.0,
) -> Floats:
    """Samples per second of a loader whose workers each read and prepare one sample after the other.

        L = W / ( prep_s * 500 / J * max(1, W / (e * vcpus)) + wait )

    Workers beyond e * vcpus share the cores; each worker waits for its own opens. Stands in prep's place for
    map-style PyTorch loaders. Infinite where nothing is prepared and nothing is waited for.

    Args:
        workers: W, loader processes of the machine.
        wait_s_per_sample: latency of the opens of a sample, where the file system has one.

    >>> args = (np.array(8.0), np.array(0.6), np.array(500.0), 0.01)
    >>> [round(float(serial_loader_rate(np.array(w), *args))) for w in (1.0, 4.0, 7.0)]
    [100, 400, 480]
    """
    core_s = prep_s_per_sample * constants("host_model")["reference_index"] / np.asarray(cpu_index)
    crowding = np.maximum(1.0, np.asarray(workers) / (np.asarray(efficiency) * vcpus))
    sample_s = core_s * crowding + wait_s_per_sample
    with np.errstate(divide="ignore"):
        rate: Floats = np.where(sample_s > 0, np.asarray(workers) / np.where(sample_s > 0, sample_s, 1.0), np.inf)
    return rate


def ceiling(gpu_count: Floats, ceiling_per_process: float | None) -> Floats:
    """Samples per second that the consumer processes can take, one process a GPU; infinite without a ceiling.

    >>> float(ceiling(np.array(2.0), 4000.0))
    8000.0
    """
    count = np.asarray(gpu_count, dtype=float)
    if ceiling_per_process is None:
        return np.full(count.shape, np.inf)
    rate: Floats = count * ceiling_per_process
    return rate
