"""`python -m gpurent` is the `gpurent` command."""

from gpurent.cli.app import main

if __name__ == "__main__":
    main()
