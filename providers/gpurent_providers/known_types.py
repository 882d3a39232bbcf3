"""What a machine type of a large cloud holds, for catalogues that list it without its share or its card's form.

known_types.csv has Google's types; those of AWS and Azure stand in the tables of their own adapters.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache, lru_cache

from gpurent.adapters.reading import table

FACTS = ("gpu", "gpu_share", "share_profile", "gpu_memory_gib")


@cache
def _types() -> dict[str, tuple[tuple[str, dict[str, str]], ...]]:
    rows = [(row["cloud"], row["type"], row) for row in table(__package__, "known_types")]
    rows += [("aws", row["instance"], row) for row in table(__package__, "aws_instances")]
    rows += [("azure", row["sku"], row) for row in table(__package__, "azure_skus")]
    kept = [(cloud, kind, {key: row[key] for key in FACTS if row[key]}) for cloud, kind, row in rows]
    return {cloud: tuple((kind, facts) for whose, kind, facts in kept if whose == cloud) for cloud, _, _ in kept}


@lru_cache(maxsize=4096)
def facts(cloud: str, kind: str) -> dict[str, str]:
    """Card, share and memory of a type as Offer fields; {} when it is not known.

    >>> facts("azure", "Standard_NV6ads_A10_v5")["share_profile"]
    '1/6'
    """
    return next((known for pattern, known in _types().get(cloud, ()) if fnmatchcase(kind, pattern)), {})
