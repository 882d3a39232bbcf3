"""Software in somebody's words, and the rates they promise."""

from __future__ import annotations

from gpurent.offer_text.facts import Claim, Facts
from gpurent.offer_text.hosts import number_of
from gpurent.offer_text.scan import Scan, clause, compiled

_DRIVER = compiled(r"(?:nvidia[\s-]*)?(?:driver|驱动)(?:\s*version|版本)?\s*[:=]?\s*v?(\d{3}(?:\.\d{1,3}){0,2})")
_CUDA = compiled(
    r"(?P<max>max(?:imum)?\s*|host\s*|最高(?:支持)?\s*|up\s*to\s*|上限\s*|支持\s*)?cuda(?P<max2>_max(?:_good)?)?(?:\s*(?:version|版本|toolkit))?"
    r"\s*[:=<≤v]{0,2}\s*(?P<v>\d{1,2}\.\d)(?:\.\d{1,3})?",
)
_CU_TAG = compiled(r"(?<![a-z0-9])cu(\d{2})(\d)(?!\d)")
_TORCH = compiled(r"(?:py)?torch\s*(?:==|=|:|v)?\s*(\d\.\d{1,2}(?:\.\d{1,2})?)")
_VERSIONS = compiled(  # numbers that are nobody's price
    r"(?<![a-z])(?:ubuntu|centos|debian|rocky|windows(?:\s*server)?|python|tensorflow|cudnn|docker|kernel|nccl)\s*(?:server\s*|v)?"
    r"\d{1,4}(?:\.\d{1,3}){0,2}"
)
_IMAGE = compiled(r"镜像|image|container|template|docker|python\s*\d|pytorch|torch|tensorflow|ubuntu")
_HOST = compiled(r"(?<![a-z])(?:host|driver|max|宿主机?)(?![a-z])|最高|驱动")
_ARCH = compiled(r"(?<![a-z0-9])(aarch64|arm64|arm\b)")
_CLAIM = compiled(
    r"(?P<w>(?:bert[\s-]?(?:large|base)?|resnet[\s-]?\d{2,3}|vit[\s-]?\w{1,4}|gpt-?2|llama[\s-]?\S{0,8}|yolo\S{0,4}|unet|stable[\s-]?diffusion|ssd300?|gnmt|transformer)[^,;.\n\d]{0,24})"
    r"[\s:~=]{0,4}(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d)?)\s?(?P<k>k)?\s?(?:samples?|images?|imgs?|sequences?|seqs?|sentences?|张|条|样本|it)\s?(?:/\s?s(?:ec(?:ond)?)?(?![a-z])|per\s*sec(?:ond)?|/秒|每秒)"
    r"|(?P<n2>\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d)?)\s?(?P<k2>k)?\s?(?:samples?|images?|imgs?|sequences?|seqs?|sentences?|张|条|样本)\s?(?:/\s?s(?:ec(?:ond)?)?(?![a-z])|per\s*sec(?:ond)?|/秒|每秒)"
    r"\s*(?:on|for|in|at|of)?\s*(?P<w2>(?:bert[\s-]?(?:large|base)?|resnet[\s-]?\d{2,3}|vit[\s-]?\w{1,4}|gpt-?2|yolo\S{0,4}|unet|ssd300?|gnmt)?)"
    # "ResNet-50 能到每秒 3500 张图"
    r"|(?:(?P<w3>bert[\s-]?(?:large|base)?|resnet[\s-]?\d{2,3}|vit[\s-]?\w{1,4}|gpt-?2|yolo\S{0,4}|unet|ssd300?|gnmt)[^,;.\n\d]{0,12})?"
    r"每秒\D{0,3}(?P<n3>\d{1,6}(?:\.\d)?)\s?(?P<k3>[kw万])?\s?(?:张|条|样本|图|帧)图?",
)
_COMPUTE = compiled(  # "算力312T", "FP16 312 TFLOPS": of the card, nobody's disk
    r"(?:算力|性能|fp(?:8|16|32|64)|tf32|bf16|int8)\s?[:=]?\s?\d{1,4}(?:\.\d{1,2})?\s?[tp](?:flops?|ops)?(?![a-z])"
)


def read_claims(scan: Scan, facts: Facts) -> None:
    """Rates the text promises."""
    for match in scan.take(_CLAIM):
        rate = number_of(match["n"] or match["n2"] or match["n3"])
        rate *= {"k": 1000, "w": 10_000, "万": 10_000}.get((match["k"] or match["k2"] or match["k3"] or "").lower(), 1)
        name = match["w"] or match["w2"] or match["w3"] or ""
        facts.claims.append(Claim(name.strip(" :~=-"), rate, match.group().strip()))
    for pattern in (_COMPUTE, _VERSIONS):
        for _ in scan.take(pattern):
            pass


def read_software(scan: Scan, facts: Facts) -> None:
    """Driver, the CUDA the host allows, the CUDA and PyTorch of the image, the CPU architecture."""
    match = scan.first(_DRIVER)
    if match:
        facts.known["driver"] = match.group(1)
    match = scan.first(_TORCH)
    if match:
        facts.torch = match.group(1)
    for match in scan.take(_CUDA):
        if (
            match["max"]
            or match["max2"]
            or _HOST.search(clause(scan.text, match))
            or not _IMAGE.search(clause(scan.text, match))
        ):
            facts.known["cuda_max"] = match["v"]
        else:
            facts.image_cuda = match["v"]
    match = scan.first(_CU_TAG)
    if match:
        facts.image_cuda = f"{match.group(1)}.{match.group(2)}"
    match = scan.first(_ARCH)
    if match:
        facts.arch = "aarch64"
