"""What we claim about speed, as programs: `make bench` runs all, `python -m benchmarks NAME…` some of them."""
