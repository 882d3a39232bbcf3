"""What a machine type of a large cloud holds, for catalogues that list it without its share or its card's form.

known_types.csv has Google's types; those of AWS and Azure stand in the tables of their own adapters.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from gpurent.adapters.reading import table

SEVERAL_FORMS = re.compile(r"^[AHV]\d{3}(?!\d)(?!.*nvl)", re.I)  # cards whose name hides the form
FORM = re.compile(r"(sxm\d?|80gb-hbm3$)|(pci[e-])|(nvl)(?!ink)", re.I)  # and the words that say it
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


def with_form(card: str, *names: str) -> str:
    """The card's text with the form the first of these names says, where the card's own name hides it.

    >>> with_form("H100", "gpu-h100-sxm 8gpu-128vcpu-1600gb"), with_form("A100_80G", "n2-A100x8", "pcie")
    ('H100 SXM', 'A100_80G PCIe')
    """
    if not SEVERAL_FORMS.match(card) or FORM.search(card):
        return card
    form = next((found for found in map(FORM.search, names) if found), None)
    return f"{card} {'SXM' if form[1] else 'PCIe' if form[2] else 'NVL'}" if form else card
