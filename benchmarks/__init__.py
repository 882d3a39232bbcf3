"""Times and sizes, printed with the machine they were taken on; no test asserts them."""
