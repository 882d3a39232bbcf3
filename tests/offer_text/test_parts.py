"""The parts of reading: harmless text, several quotes, pasted blocks, one's own machine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent import tables
from gpurent.errors import UNKNOWN, Problem
from gpurent.hardware.names import read_name
from gpurent.offer_text import quotes_left_out, read_machine, read_offers
from gpurent.offer_text.gather import gather, main_mention
from gpurent.offer_text.quotes_of import split
from gpurent.offer_text.tidy import plain, tidy


class TestTidy:
    def test_full_width_forms_are_narrowed_and_superscripts_are_not_folded(self) -> None:
        assert tidy("Ａ１００　８０Ｇ，￥７．８¹") == "A100 80G, ￥7.8¹"

    def test_escapes_and_directions_go(self) -> None:
        assert tidy("a\x1b[31mb\x1b]8;;x\x07c\u202ed\u200be") == "abcde"

    @given(st.text(max_size=300))
    @settings(max_examples=300, deadline=None)
    def test_twice_is_once(self, text: str) -> None:
        assert tidy(tidy(text)) == tidy(text)


class TestHtml:
    def test_footnotes_and_struck_prices_go(self) -> None:
        page = "<tr><td>H100</td><td>$2.99<sup>1</sup>/hr <del>$3.49</del><s>$4</s></td></tr>"
        assert plain(page) == "H100 | $2.99/hr"

    def test_text_with_a_less_sign_is_no_html(self) -> None:
        assert plain("A100 < $2/h and > 16 vCPU") == "A100 < $2/h and > 16 vCPU"

    def test_rows_become_quotes_with_the_names_of_their_columns(self) -> None:
        page = (
            "<table><tr><th>GPU</th><th>vCPU</th><th>RAM (GiB)</th><th>Price/GPU/hr</th></tr>"
            "<tr><td>H100 SXM 80GB</td><td>26</td><td>225</td><td>$2.99<sup>1</sup></td></tr>"
            "<tr><td>A100 PCIe 80GB</td><td>16</td><td>120</td><td>$1.39</td></tr></table>"
        )
        first, second = read_offers(page)
        offer = first.readings[0].offer
        assert (offer.vcpus, offer.ram_gib, str(offer.price_per_hour)) == (26, 225, "2.99")
        assert second.readings[0].offer.ram_gib == 120


class TestSplit:
    def test_blank_lines_part_quotes(self) -> None:
        assert len(read_offers("RTX 4090 $0.3/h\n\nRTX 3090 $0.2/h")) == 2

    def test_a_piece_without_a_card_belongs_to_the_one_before(self) -> None:
        [quote] = read_offers("您好，我们有：\n\nA100 80G 8卡\n\n价格 4.5万/月，含税")
        assert quote.readings[0].offer.price is not None
        assert quote.readings[0].offer.gpu_count == 8

    def test_lines_with_card_and_price_are_quotes(self) -> None:
        assert len(read_offers("4090 1.98元/时\n3090 1.39元/时\n5090 2.93元/时")) == 3

    def test_a_block_is_one_quote(self) -> None:
        assert len(read_offers("GPU: 4090 24G\nCPU: 16核\n价格: 1.98元/时")) == 1

    def test_too_many_are_counted(self) -> None:
        text = "\n\n".join(["RTX 4090 $0.3/h"] * 60)
        assert len(split(text)[0]) == 50
        assert quotes_left_out(text) == 10


SMI = """+-----------------------------------------------------------------------------+
| NVIDIA-SMI 525.85.12    Driver Version: 525.85.12    CUDA Version: 12.0     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  NVIDIA A100-SXM...  On   | 00000000:00:04.0 Off |                    0 |
| N/A   33C    P0    52W / 300W |      0MiB / 81920MiB |      0%      Default |
|                               |                      |             Disabled |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                                  |
|  No running processes found                                                 |
+-----------------------------------------------------------------------------+
"""


class TestPasted:
    def test_nvidia_smi_lscpu_and_df_stand_under_one_quote(self) -> None:
        text = (
            SMI + "\nArchitecture:            x86_64\nCPU(s):                  256\nThread(s) per core:      2\n"
            "Model name:              AMD EPYC 7763 64-Core Processor\n\n"
            "               total        used        free      shared  buff/cache   available\n"
            "Mem:           503Gi        12Gi       400Gi       1.0Gi        90Gi       480Gi\n\n"
            "Filesystem      Size  Used Avail Use% Mounted on\noverlay          30G   12G   19G  39% /\n"
            "tmpfs            64M     0   64M   0% /dev/shm\n/dev/nvme0n1    1.8T  200G  1.6T  12% /root/data\n\n"
            "price $1.9/h, 32 vCPU"
        )
        [quote] = read_offers(text)
        offer = quote.readings[0].offer
        assert (offer.gpu, offer.gpu_memory_gib, offer.power_limit_w) == ("NVIDIA A100-SXM", 80, 300)
        assert (offer.driver, offer.cuda_max) == ("525.85.12", "12.0")
        assert (offer.vcpus, offer.threads_per_core, offer.ram_gib) == (32, 2, 503)
        assert "7763" in (offer.cpu_model or "")
        assert offer.disk_class == "local-nvme"
        assert offer.disk_gib == pytest.approx(1638.4)
        assert offer.gpu_share is None

    def test_a_list_counts_cards(self) -> None:
        text = "\n".join(f"GPU {n}: NVIDIA H100 80GB HBM3 (UUID: GPU-{n})" for n in range(8))
        [quote] = read_offers(text + "\n$16/h for the node")
        assert (quote.readings[0].offer.gpu, quote.readings[0].offer.gpu_count) == ("NVIDIA H100 80GB HBM3", 8)

    def test_a_list_with_mig_devices_is_slices(self) -> None:
        text = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n" + "\n".join(
            f"  MIG 1g.10gb     Device  {n}: (UUID: MIG-{n})" for n in range(2)
        )
        [quote] = read_offers(text)
        offer = quote.readings[0].offer
        assert (offer.gpu_share, offer.share_profile, offer.gpu_count) == ("mig", "1g.10gb", 2)

    def test_the_quota_beats_what_lscpu_shows(self) -> None:
        [quote] = read_offers("RTX 4090 $0.3/h\nCPU(s):                  128\n1200000 100000")
        assert quote.readings[0].offer.vcpus == 12

    def test_topology(self) -> None:
        rows = "\n".join(
            f"GPU{n}\t" + "\t".join("X" if m == n else "NV12" for m in range(8)) + "\t0-31" for n in range(8)
        )
        [quote] = read_offers("8x A100 80GB SXM4 $12/h for the node\n" + rows)
        assert quote.readings[0].offer.gpu_link == "nvswitch"


class TestMachine:
    def test_the_line_of_the_manual(self) -> None:
        offer = read_machine("RTX 3090, Ryzen 9 5950X, 64GB, NVMe 7GB/s")
        assert (offer.provider, offer.gpu, offer.gpu_count) == ("mine", "RTX 3090", 1)
        assert (offer.cpu_model, offer.vcpus, offer.ram_gib) == ("Ryzen 9 5950X", None, 64)
        assert (offer.disk_class, offer.disk_read_mbyte_s) == ("local-nvme", 7000)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2x RTX 4090 24GB, 32 cores EPYC 7763, 256GB RAM, 2TB NVMe", ("RTX 4090 24GB", 2, 32, 256, "local-nvme")),
            ("2080Ti 双卡 i9-10900X 128G DDR4 SATA SSD 1TB", ("2080Ti", 2, None, 128, "local-ssd")),
            ("my 4090D, 7950X, 64G DDR5, 990 pro 2TB nvme", ("4090D", 1, None, 64, "local-nvme")),
            ("GTX 1080 Ti; i7-8700K; 32 GB RAM; HDD 2TB", ("GTX 1080 Ti", 1, None, 32, "network-hdd")),
        ],
    )
    def test_others(self, text: str, expected: tuple[object, ...]) -> None:
        offer = read_machine(text)
        assert (offer.gpu, offer.gpu_count, offer.vcpus, offer.ram_gib, offer.disk_class) == expected

    def test_without_a_card_it_is_a_problem(self) -> None:
        with pytest.raises(Problem) as caught:
            read_machine("Ryzen 9, 64GB")
        assert caught.value.code == UNKNOWN


@pytest.mark.parametrize("row", list(tables.rows("cards")), ids=lambda row: str(row["card"]))
def test_every_card_of_the_table_is_found_in_a_quote(row: dict[str, str]) -> None:
    for name in (row["name"], row["name"].removeprefix("NVIDIA ").removeprefix("AMD "), row["card"]):
        mention = main_mention(gather(tidy(f"1x {name}, 16 vCPU, 64 GB RAM, $1.20/hr")))
        assert mention is not None, name
        found, meant = read_name(mention.text), read_name(name)
        assert (found.gpu, found.candidates) == (meant.gpu, meant.candidates)


def test_a_machine_with_an_impossible_value_is_refused() -> None:
    with pytest.raises(Problem, match="impossible value"):
        read_machine("RTX 3090, RAM 900000TB")
