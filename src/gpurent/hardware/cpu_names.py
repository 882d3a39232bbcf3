"""CPU names as people and guests write them: one grammar to a model key and a family of tables/cpu_families.csv."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from gpurent import tables


class CpuName(NamedTuple):
    """What a CPU text names: `model` is a spelling-free key, or None where only the family is said."""

    model: str | None
    family: str


_CHINESE = {
    "英特尔": " intel ", "至强": " xeon ", "酷睿": " core ", "铂金": " platinum ", "金牌": " gold ", "银牌": " silver ",
    "霄龙": " epyc ", "锐龙": " ryzen ", "线程撕裂者": " threadripper ", "海光": " hygon ", "处理器": " ",
}  # fmt: skip
_MARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]|\b(?:cpu|processor|processors|series|genuine)\b")
_CORES = re.compile(r"\b\d{1,3}[- ]?cores?\b")
_CLOCK = re.compile(r"(?:@|\bt)?\s*\b(\d\.\d{1,2})\s*ghz\b.*")

_THREADRIPPER = re.compile(r"\bthreadripper\s*(?:pro\s*)?(\d{4})\s*(?:wx|x)?\b|^([1-9][0-9][6-9]\d)w?x$")
_RYZEN = re.compile(r"\b(?:ryzen\s*(?:[3579]\s*)?(?:pro\s*)?|r[3579][ -]?)(\d{4})\s*([a-z]{1,2}(?:3d)?)?\b")
_BARE_RYZEN = re.compile(r"^([1-9]\d00|[1-9]\d50)(x(?:3d|t)?)$")
_EPYC = re.compile(r"\bepyc[ -]*(?:embedded )?([3-9][0-9a-z][0-9a-z][1-5])([a-z]{0,2})\b")
_BARE_EPYC = re.compile(r"^(?:amd )?([79][0-9a-z][0-9a-z][1-5])([a-z]{0,2})$")
_XEON_E = re.compile(r"\b(e[57])[- ]?(\d{4})\s*([a-z]{0,2})\s*[- ]?(?:v\s*([2-4]))?\b")
_XEON_E3 = re.compile(r"\be3[- ]?(\d{4})[a-z]?\s*[- ]?v\s*([1-6])\b")
_XEON_SMALL = re.compile(r"\bxeon\s*e[- ]?(2[1-4]\d\d)([a-z]?)\b")
_XEON_W = re.compile(r"\bw[3579]?[- ]?([23][1-5]\d\d)(x?)\b")
_XEON_6 = re.compile(r"\b(6[5-9]\d\dp(?:-[a-z])?)(?![0-9a-z])")
_SCALABLE = re.compile(
    r"\b(?:xeon|platinum|gold|silver|bronze|max)[ -]*(?:platinum|gold|silver|bronze|max)?[ -]*"
    r"([3-9][1-5]\d\d)([a-z]{0,2}\+?)(?![0-9a-z])"
)
_BARE_SCALABLE = re.compile(r"^(?:intel )?([4-689][1-5]\d\d)([a-z]{0,2}\+?)$")
_CORE = re.compile(r"\bi([3579])[- ]?(\d{4,5})\s*([a-z]{0,3})\b")
_CORE_ULTRA = re.compile(r"\bultra\s*[579]\s*-?(2\d\d)([a-z]{0,2})\b")

_ZEN = {"1": "zen1", "2": "zen2", "3": "zen3", "4": "zen4", "5": "zen5"}
_RYZEN_ZEN = {
    "1": "zen1", "2": "zen1", "3": "zen2-desktop", "4": "zen2-desktop", "5": "zen3-desktop", "6": "zen3-desktop",
    "7": "zen4-desktop", "8": "zen4-desktop", "9": "zen5-desktop",
}  # fmt: skip
_XEON_V = {"": "sandy-bridge", "2": "ivy-bridge", "3": "haswell", "4": "broadwell"}
_SCALABLE_GENERATION = {
    "1": "skylake", "2": "cascade-lake", "3": "ice-lake", "4": "sapphire-rapids", "5": "emerald-rapids",
}  # fmt: skip
_CORE_GENERATION = {
    4: "haswell", 5: "broadwell", 11: "rocket-lake", 12: "alder-lake", 13: "raptor-lake", 14: "raptor-lake",
}  # fmt: skip


@lru_cache(maxsize=4096)
def read_name(text: str) -> CpuName | None:
    """The model and family a CPU text names, or None where it names neither ("AMD EPYC", "Intel Xeon Platinum").

    >>> read_name("Intel(R) Xeon(R) Platinum 8352V CPU @ 2.10GHz")
    CpuName(model='xeon-8352v', family='ice-lake')
    >>> read_name("AMD EPYC 7763 64-Core Processor").model
    'epyc-7763'
    >>> read_name("Sapphire Rapids")
    CpuName(model=None, family='sapphire-rapids')
    """
    line, clock = _clean(text)
    return _amd(line) or _intel(line) or _code_word(line) or _hidden(line, clock)


def _clean(text: str) -> tuple[str, str]:
    line = text[:400].lower()
    for word, english in _CHINESE.items():
        line = line.replace(word, english)
    line = _MARKS.sub(" ", line.replace("_", " ").replace(",", " "))
    found = _CLOCK.search(line)
    clock = found[1] if found else ""
    line = _CORES.sub(" ", _CLOCK.sub(" ", line))
    return " ".join(line.replace("@", " ").split()), clock


def _amd(line: str) -> CpuName | None:
    if found := _THREADRIPPER.search(line):
        number = found[1] or found[2]
        return CpuName(f"threadripper-{number}", _RYZEN_ZEN[number[0]])
    if found := _RYZEN.search(line):
        return CpuName(f"ryzen-{found[1]}{found[2] or ''}", _RYZEN_ZEN.get(found[1][0], "zen1"))
    if found := _BARE_RYZEN.search(line):
        return CpuName(f"ryzen-{found[1]}{found[2]}", _RYZEN_ZEN[found[1][0]])
    if found := _EPYC.search(line) or _BARE_EPYC.search(line):
        number, family = found[1], _ZEN[found[1][-1]]
        if number.startswith("4") and number.isdigit():  # EPYC 4004 and 4005 are desktop dies
            family += "-desktop"
        return CpuName(f"epyc-{number}{found[2]}", family)
    return None


def _intel(line: str) -> CpuName | None:
    if found := _CORE.search(line):
        return CpuName(f"core-i{found[1]}-{found[2]}{found[3]}", _core_family(found[2], found[3]))
    if found := _CORE_ULTRA.search(line):
        return CpuName(f"core-ultra-{found[1]}{found[2]}", "raptor-lake")
    if found := _XEON_E3.search(line):
        family = "intel-client" if found[2] in "56" else {"4": "broadwell", "3": "haswell"}.get(found[2], "ivy-bridge")
        return CpuName(f"xeon-e3-{found[1]}-v{found[2]}", family)
    if found := _XEON_SMALL.search(line):
        family = {"3": "rocket-lake", "4": "raptor-lake"}.get(found[1][1], "intel-client")
        return CpuName(f"xeon-e-{found[1]}{found[2]}", family)
    if found := _XEON_E.search(line):
        version = found[4] or ""
        return CpuName(f"xeon-{found[1]}-{found[2]}{found[3]}" + (f"-v{version}" if version else ""), _XEON_V[version])
    if "xeon" in line and (found := _XEON_W.search(line)):
        return CpuName(f"xeon-w-{found[1]}{found[2]}", _SCALABLE_GENERATION[found[1][1]])
    if found := _XEON_6.search(line):
        return CpuName(f"xeon-{found[1]}", "granite-rapids")
    if "phi" not in line.split() and (found := _SCALABLE.search(line) or _BARE_SCALABLE.search(line)):
        number, suffix = found[1], found[2]
        family = _SCALABLE_GENERATION[number[1]]
        if family == "ice-lake" and suffix.startswith("h"):
            family = "cooper-lake"
        return CpuName(f"xeon-{number}{suffix}", family)
    return None


def _core_family(number: str, suffix: str) -> str:
    if len(number) == 4 and suffix.startswith("x"):  # the big sockets run one generation behind their number
        return {"5": "haswell", "6": "broadwell"}.get(number[0], "skylake")
    if len(number) == 4 and number[0] in "56" and number[1] in "89":
        return "haswell" if number[0] == "5" else "broadwell"
    if number.startswith("109") and suffix.startswith("x"):
        return "cascade-lake"
    return _CORE_GENERATION.get(int(number[:-3]), "intel-client" if int(number[:-3]) <= 10 else "raptor-lake")


def _code_word(line: str) -> CpuName | None:
    for word, family in _code_words():
        if word in line:
            # an Arm server core is its own model; Grace has the core of others, not their clock
            return CpuName(family if family.startswith("neoverse") and word != "grace" else None, family)
    return None


@cache
def _code_words() -> tuple[tuple[str, str], ...]:
    """(word, family), longest first, so that "milan-x" is not read as "milan" with a rest."""
    words = [(word, row["family"]) for row in tables.rows("cpu_families") for word in row["names"].split("|") if word]
    return tuple(sorted(words, key=lambda pair: -len(pair[0])))


def _hidden(line: str, clock: str) -> CpuName | None:
    if clock and line in ("intel xeon", "xeon"):
        return CpuName(f"xeon @ {clock}", "xeon-hidden")
    return None
