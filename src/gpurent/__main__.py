"""`python -m gpurent` is the `gpurent` command."""

from gpurent.cli import main

if __name__ == "__main__":
    main()
