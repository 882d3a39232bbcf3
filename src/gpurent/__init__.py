"""gpurent: what an epoch of your training costs on rented GPUs, and how sure that is."""

__version__ = "0.1.0"
