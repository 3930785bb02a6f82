#! /usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# Programs that test.py runs to see that they still work: (name and arguments,
# condition to run, condition to run under valgrind).
cpp_examples = [
    ("photonic-rails-first-circuit", "True", "True"),
    (
        "photonic-rails-ip-beside-rdma --rdmaBytes=1M --tcpBytes=100K --echoes=3",
        "True",
        "False",
    ),
    ("photonic-rails-collectives --domains=4 --maxBytes=64K", "True", "True"),
    ("photonic-rails-straggler --fabric=electrical --ranks=4,6 --bytes=64K", "True", "True"),
    ("photonic-rails-cost --gpus=512,4096 --counting=built-devices", "True", "True"),
    ("photonic-rails-cost --table3", "True", "True"),
    ("photonic-rails-pip-switch --ports=4,8 --solver=false", "True", "True"),
    ("photonic-rails-fabric-comparison --domains=4 --bytes=64K", "True", "False"),
    ("photonic-rails-fabric-comparison --traffic=permutation --domains=8", "True", "False"),
    (
        "photonic-rails-compare --model=debugmodel --networks=provisioned --breakEven=false",
        "True",
        "False",
    ),
    (
        "photonic-rails-sweep --model=debugmodel --iterations=1 --vary=policy=provisioned,oracle",
        "True",
        "False",
    ),
    (
        "photonic-rails-recovery --model=debugmodel --seqLen=512 --fsdp=4 --oversubscriptions=4",
        "True",
        "False",
    ),
    ("photonic-rails-windows --model=debugmodel --seqLen=512 --quiet", "True", "False"),
    ("photonic-rails-benchmark --bench=hops --bytes=64K --repeat=1", "True", "False"),
    ("photonic-rails-training --model=debugmodel --iterations=1 --quiet", "True", "False"),
    (
        "photonic-rails-training --model=debugmodel --iterations=1 --quiet --fabric=fat-tree",
        "True",
        "False",
    ),
]

python_examples = []
