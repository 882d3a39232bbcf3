from pathlib import Path

import gpurent_example_cloud

from gpurent.adapters.testing import AdapterContract


class TestExampleCloud(AdapterContract):
    adapter = gpurent_example_cloud
    fixtures = Path(__file__).parent / "fixtures"
