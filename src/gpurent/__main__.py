"""`python -m gpurent` is the `gpurent` command."""

from gpurent.cli.app import main

main()
