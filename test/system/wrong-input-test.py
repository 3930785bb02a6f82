#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Wrong input to the programs: one clear line, exit code 1, nothing written.

usage: wrong-input-test.py FOLDER_OF_THE_BUILT_EXAMPLES"""
import os
import pathlib
import subprocess
import sys
import tempfile

# Stands for a file that the program would write, if it could.
JSON = "--json"
# By program: flags of a small run, and cases of flags that are added to them, with what the line
# must contain: the input and what is allowed instead.
TRAINING = [
    (["--model=gpt-5"], ["model", "gpt-5", "llama3-8b"]),
    (["--gpu=tpu"], ["gpu", "tpu", "a100"]),
    (["--fabric=copper"], ["fabric", "copper", "photonic", "electrical"]),
    (["--ocs=abacus"], ["ocs", "abacus", "polatis", "liquid-crystal"]),
    (["--reconfigDelay=-1ms"], ["reconfigDelay", "-1ms"]),
    (["--reconfigDelay=soon"], ["reconfigDelay", "soon"]),
    (["--reconfigDelay=1e300s"], ["reconfigDelay", "1e300s"]),
    (["--controlLatency=-10us"], ["controlLatency", "-10us"]),
    (["--controlLatency=nan"], ["controlLatency", "nan"]),
    (["--controlLoss=0.6"], ["controlLoss", "0.6"]),
    (["--controlLoss=some"], ["controlLoss", "some"]),
    (["--controllerCrash=soon"], ["controllerCrash", "soon", "TIME[,RESTART"]),
    (["--standby", "--standbyCrash=soon"], ["standbyCrash", "soon", "TIME[,RESTART"]),
    (["--standbyCrash=1s"], ["standbyCrash", "--standby"]),
    (["--controllerCrash=0s"], ["controllerCrash", "0s", "TIME[,RESTART"]),
    (["--controllerCrash=2ms,1ms,2ms"], ["controllerCrash", "later than the one before"]),
    (["--symmetry=rails", "--controllers=rails", "--controlLoss=0.1"], ["symmetry", "controlLoss"]),
    (["--controllers=two"], ["controllers", "two", "one, rails"]),
    (["--symmetry=all"], ["symmetry", "all", "none, rails"]),
    (["--symmetry=rails", "--controllers=one"], ["symmetry", "allowed with --controllers=rails"]),
    (["--symmetry=rails", "--fault=ocs:0@1s"], ["symmetry", "allowed without faults"]),
    (["--symmetry=rails", "--spareGpus=1"], ["symmetry", "allowed without faults and spares"]),
    (["--symmetry=rails", "--fabric=electrical", "--ns3::RdmaQueuePair::CongestionControl=ns3::RdmaDcqcn"],
     ["symmetry", "--cc=none"]),
    (["--symmetry=rails", "--ns3::TrainingApplication::ComputeJitter=ns3::UniformRandomVariable"],
     ["symmetry", "ns3::TrainingApplication::ComputeJitter"]),
    (["--symmetry=rails", "--fabric=fat-tree"], ["symmetry", "fat-tree", "photonic, electrical"]),
    (["--symmetry=rails", "--fabric=electrical", "--cc=swift"], ["symmetry", "--cc=none"]),
    (["--symmetry=rails", "--fabric=electrical", "--scaleUp=network"], ["symmetry", "closed-form"]),
    (["--symmetry=rails", "--controllers=rails", "--jitter=0.1"], ["symmetry", "jitter"]),
    (["--symmetry=rails", "--controllers=rails", "--slowdown=3:2"], ["symmetry", "slowdown"]),
    (["--symmetry=rails", "--controllers=rails", "--pcap=x"], ["symmetry", "pcap"]),
    (["--symmetry=rails", "--controllers=rails", "--ascii=x"], ["symmetry", "ascii"]),
    (["--symmetry=rails", "--controllers=rails", "--qpStats=x"], ["symmetry", "qpStats"]),
    (["--symmetry=rails", "--fabric=electrical", "--tp=2", "--meshOrder=dp-fsdp-pp-cp-tp"],
     ["symmetry", "rank 2 runs another program than rank 0"]),
    (["--fault=ocs:4@1s"], ["fault", "ocs:4@1s", "switches 0 to 3"]),
    (["--fault=ocs:4@1s", "--spareRails=1", "--controllers=rails"],
     ["spareRails", "allowed with --controllers=one"]),
    (["--fault=gpu:16@1s"], ["fault", "gpu:16@1s", "GPUs 0 to 15"]),
    (["--fault=gpu:1@soon"], ["fault", "gpu:1@soon", "KIND:TARGET@TIME"]),
    (["--fault=gpu:1@1s", "--policy=rotor"], ["--fault", "--policy that lends circuits, or with electrical"]),
    (["--fault=link:0/1@1s"], ["link:0/1@1s", "kinds ocs, ocs-port, nic-port, gpu, shim"]),
    (["--fault=switch:0@1s", "--fabric=electrical", "--spareRails=1"], ["--spareRails", "--fabric=photonic"]),
    (["--fault=link:0/1@1s", "--fabric=electrical"], ["link:0/1@1s", "kinds nic-port, gpu, switch"]),
    (["--fault=link:leaf/spine@1s", "--fabric=fat-tree"], ["link:leaf/spine@1s", "switches 0"]),
    (["--fault=switch:4@1s", "--fabric=electrical"], ["switch:4@1s", "switches 0 to 3", "such as rail 0"]),
    (["--fault=switch:-1@1s", "--fabric=electrical"], ["switch:-1@1s", "switches 0 to 3"]),
    (["--fault=switch:1@-1s", "--fabric=electrical"], ["switch:1@-1s", "times up to"]),
    (["--fault=shim:1@1s", "--fabric=electrical"], ["shim:1@1s", "kinds nic-port, gpu, switch"]),
    (["--faultRate=link:1@1s", "--fabric=electrical"], ["faultRate", "link:1@1s", "kinds nic-port, gpu, switch"]),
    (["--linkLoss=0.1"], ["--linkLoss=0.1", "has no effect with --fabric=photonic"]),
    (["--policy=per-call", "--ns3::OpusShim::KeepLeases=true"], ["--ns3::OpusShim::KeepLeases=true", "--policy"]),
    (["--ns3::RdmaDcqcn::Gain=0.1"], ["--ns3::RdmaDcqcn::Gain=0.1 has no effect with --cc=none"]),
    (["--fabric=electrical", "--cc=swift", "--ns3::RdmaDcqcn::Gain=0.1"], ["has no effect with --cc=swift"]),
    (["--linkLoss=0.6", "--fabric=electrical"], ["--linkLoss=0.6", "0 to 0.5"]),
    (["--fault=gpu:1@1s", "--policy=torus"], ["--fault", "--policy that lends"]),
    (["--faultRate=ocs:0.1"], ["faultRate", "ocs:0.1", "KIND:RATE@END"]),
    (["--faultRate=shim:1000@10s"], ["faultRate", "shim:1000@10s", "at most 10000 faults"]),
    (["--model=llama3-405b", "--computeEfficiency=0.001", "--iterations=1000"],
     ["--iterations=1000", "lasts at most 4611686 s", "computes for at least"]),
    (["--tp=1", "--gpusPerDomain=1", "--fsdp=4", "--pp=1", "--policy=rotor", "--fiberDelay=23us", "--slotTime=80us"],
     ["--slotTime=80us", "at least", "over the fibers"]),
    (["--scaleUp=a100", "--spareDomains=1", "--fault=gpu:5@4ms"], ["--recovery=rail", "--recovery=migration"]),
    (["--fabric=leaf-spine", "--tp=1", "--gpusPerDomain=2", "--fsdp=4", "--spareDomains=1", "--fault=gpu:0@3ms"],
     ["--recovery=rail", "allowed with --scaleUp=none or --recovery=migration"]),
    (["--fabric=fat-tree", "--tp=1", "--gpusPerDomain=2", "--fsdp=4", "--spareDomains=1", "--scaleUp=network"],
     ["--recovery=rail", "allowed with --scaleUp=none or --recovery=migration"]),
    (["--spareRails=17"], ["spareRails", "17", "16"]),
    (["--spareGpus=17"], ["spareGpus", "17", "16"]),
    (["--spareGpus=1", "--fault=gpu:20@1s"], ["fault", "gpu:20@1s", "GPUs 0 to 19"]),
    (["--spareGpus=1", "--spareDomains=1"], ["spareGpus", "spareDomains", "one of them"]),
    (["--spareGpus=1", "--spareRails=1"], ["spareGpus", "spare rails"]),
    (["--spareGpus=1", "--fabric=electrical"], ["spareGpus", "photonic rails"]),
    (["--spareGpus=1", "--policy=torus"], ["spareGpus", "--policy that lends"]),
    (["--spareGpus=1", "--controllers=rails"], ["spareGpus", "--controllers=one"]),
    (["--spareGpus=1", "--hostNetwork=100Gbps"], ["spareGpus", "--hostNetwork=none"]),
    (["--spareGpus=1", "--recovery=rail"], ["recovery", "rail", "spare"]),
    (["--spareDomains=1", "--recovery=spare"], ["recovery", "spare", "rail or migration"]),
    (["--recovery=prayer"], ["recovery", "prayer", "spare, rail, migration"]),
    (["--spareDomains=1", "--fabric=electrical", "--fault=ocs:0@1s"], ["fault", "ocs:0@1s"]),
    (["--abortTime=-1s"], ["abortTime", "-1s", "such as 50ms"]),
    (["--processTime=long"], ["processTime", "long", "such as 50ms"]),
    (["--communicatorTime=4000s"], ["communicatorTime", "4000s", "3600s"]),
    (["--selectionTime=nan"], ["selectionTime", "nan", "such as 50ms"]),
    (["--stateRate=0"], ["stateRate", "0", "such as 100Gbps"]),
    (["--detectionTime=0s"], ["detectionTime", "0s", "from 1us to 10s"]),
    (["--protectionTime=1min"], ["protectionTime", "1min", "0s to 10s"]),
    (["--portRate=0bps"], ["portRate", "0bps"]),
    (["--portRate=fast"], ["portRate", "fast"]),
    (["--portRate=0x10Gbps"], ["portRate", "0x10Gbps"]),
    (["--reconfigDelay=0x10ms"], ["reconfigDelay", "0x10ms"]),
    (["--nicPorts=3"], ["1, 2 or 4", "3"]),
    (["--nicPorts=1", "--fsdp=4"], ["nicPorts", "1"]),
    (["--nicPorts=1", "--model=debugmodel", "--seqLen=128", "--tp=2", "--fsdp=3"],
     ["--nicPorts=1", "a group of 3 ranks across rails needs 2 ports a rank"]),
    (["--ns3::OpticalCircuitSwitch::InsertionDelay=2ms"], ["InsertionDelay", "2ms"]),
    (["--ocs=plzt", "--fsdp=8"], ["radix", "plzt", "16"]),
    (["--ocs=pip-switch", "--fsdp=16"], ["64 OCS ports", "radix", "pip-switch", "32"]),
    (["--ocs=pip-switch", "--ns3::PipSwitchFabric::Rows=1", "--ns3::PipSwitchFabric::Columns=1", "--fsdp=8"],
     ["32 OCS ports", "1 x 1", "2 to 12 ports"]),
    (["--ocs=pip-switch", "--ns3::PipSwitchFabric::Rows=33"], ["Rows=33", "a whole number from 1 to 32"]),
    (["--ns3::PipSwitchFabric::Rows=8"], ["Rows=8", "no effect", "--ocs=polatis"]),
    (["--tp=3"], ["tp", "3"]),
    (["--tp=0"], ["tp", "0"]),
    (["--tp=-1"], ["tp", "-1", "whole number"]),
    (["--tp=4 --fsdp=3"], ["tp", "4 --fsdp=3", "whole number"]),
    (["--tp=4\n5\x1b"], ["tp", r"4\n5\x1b", "whole number"]),
    (["--tp=" + "4" * 100000], ["tp", "44... is not allowed", "whole number"]),
    (["--trace=a\nb"], ["--trace", r"a\nb.0.et"]),
    (["--job=a\rb"], ["--job", r"a\x0db", "cannot be read"]),
    (["--t\np=4"], [r"--t\np=4 is no flag"]),
    (["--ns3::No\nne::A=1"], [r"ns3::No\nne::A", "no class"]),
    (["--fabric=a\nb.json"], [r"a\nb.json"]),
    (["--tp="], ["tp", "whole number"]),
    (["--model="], ["model", "llama3-8b"]),
    (["--RngSeed=0"], ["RngSeed", "1 to 4294944442"]),
    (["--RngSeed=-1"], ["RngSeed", "1 to 4294944442"]),
    (["--RngSeed=4294944443"], ["RngSeed", "1 to 4294944442"]),
    (["--SimulatorImplementationType=ns3::RealtimeSimulatorImpl"], ["RealtimeSimulatorImpl", "real time"]),
    (["--PrintAttributes=ns3::Nope"], ["PrintAttributes", "ns3::Nope", "--PrintTypeIds"]),
    (["--PrintAttributes"], ["PrintAttributes", "--PrintTypeIds"]),
    (["--tpp=4"], ["--tpp=4", "--help"]),
    (["--tp", "4"], ["4", "begin with --"]),
    (["--popularity=my file.txt"], ["popularity", "my file.txt"]),
    (["--tp=4.9"], ["tp", "4.9", "whole number"]),
    (["--fsdp=2x"], ["fsdp", "2x", "whole number"]),
    (["--iterations=4294967296"], ["iterations", "4294967296"]),
    (["--computeEfficiency=nan"], ["computeEfficiency", "nan"]),
    (["--computeEfficiency=1e-12"], ["computeEfficiency", "1e-12", "0.001"]),
    (["--fiberDelay=1s"], ["fiberDelay", "1s", "1ms"]),
    (["--oversubscription=2:0"], ["oversubscription", "2:0", "2:1"]),
    (["--oversubscription=two"], ["oversubscription", "two", "2:1"]),
    (["--fabricRate=fast"], ["fabricRate", "fast"]),
    (["--spineDelay=1h"], ["spineDelay", "1h", "1ms"]),
    (["--switchRadix=5000"], ["switchRadix", "5000", "4096"]),
    (["--fabric=leaf-spine", "--switchRadix=2"], ["leaf", "radix of 2", "allowed for instance: a radix of 8"]),
    (["--fabric=fat-tree", "--ns3::FatTreeFabric::Arity=4"], ["k = 4", "allowed: k from 6 to 64"]),
    (["--framework=megatron-lm", "--pp=5"], ["--pp=5", "split=weighted", "or the layers of each stage"]),
    (["--split=odd"], ["split", "odd", "even, weighted", "8,8,8,7"]),
    (["--split=20,13"], ["--split=20,13", "2 numbers", "6 layers of debugmodel", "2 that add up to 33"]),
    (["--split=8+8+8+8"], ["--split=8,8,8,8", "2 numbers", "not 4"]),
    (["--portRate=1Mbps"], ["portRate", "1Mbps", "1Gbps"]),
    (["--pcapSnapLength=0"], ["pcapSnapLength", "0", "96"]),
    (["stray"], ["stray"]),
    (["--fsdp=0"], ["fsdp", "0"]),
    (["--pp=0"], ["pp", "0"]),
    (["--pp=9"], ["pp", "9"]),
    (["--gpusPerDomain=8", "--tp=4", "--fsdp=1", "--pp=1"], ["gpusPerDomain", "8"]),
    (["--gpu=gb200"], ["16 ranks", "gpusPerDomain=72", "allowed for instance with --gpusPerDomain=16"]),
    (["--gpusPerDomain=0"], ["gpusPerDomain", "0"]),
    (["--scaleUp=copper"], ["scaleUp", "copper", "closed-form, network, none, nvlink3"]),
    (["--scaleUp=network", "--gpu=copper"], ["gpu", "copper"]),
    (["--scaleUp=network", "--gpusPerDomain=16", "--tp=16", "--pp=1"], ["nvlink3", "8", "16"]),
    (["--microBatchSize=0"], ["microBatchSize", "0"]),
    (["--microBatches=0"], ["microBatches", "0"]),
    (["--seqLen=0"], ["seqLen", "0"]),
    (["--seqLen=8191"], ["seqLen", "8191"]),
    (["--iterations=0"], ["iterations", "0"]),
    (["--computeEfficiency=0"], ["computeEfficiency"]),
    (["--computeEfficiency=1.5"], ["computeEfficiency", "1.5"]),
    (["--fabric=electrical", "--ns3::ElectricalSwitch::BufferSize=1000"], ["BufferSize", "1000 bytes"]),
    (["--fabric=fat-tree", "--ns3::ElectricalSwitch::Kmin=1000000000"], ["Kmin", "1000000000", "Kmax"]),
    (["--pcap=/nowhere/at/all"], ["pcap", "/nowhere/at/all"]),
    (["--ascii=/nowhere/at/all"], ["ascii", "/nowhere/at/all"]),
    (["--qpStats=/nowhere/at/all"], ["qpStats", "/nowhere/at/all"]),
    (["--framework=jax"], ["framework", "jax", "torchtitan", "megatron-lm"]),
    (["--reshard=maybe"], ["reshard", "maybe", "default, always, never"]),
    (["--sequenceParallel=1"], ["sequenceParallel", "1", "true, false"]),
    (["--prefetch=some"], ["prefetch", "some", "whole number"]),
    (["--bucketParameters=0"], ["bucketParameters", "0", "from 1"]),
    (["--schedule=random"], ["schedule", "random", "1f1b"]),
    (["--meshOrder=pp-tp"], ["meshOrder", "pp-tp", "pp-dp-fsdp-cp-tp"]),
    (["--attentionEfficiency=2"], ["attentionEfficiency", "2", "0.001 to 1"]),
    (["--popularity=zipf:11"], ["popularity", "zipf:11", "zipf:EXPONENT"]),
    (["--popularity=/nowhere/at/all"], ["popularity", "/nowhere/at/all", "uniform"]),
    (["--algorithms=tree"], ["algorithms", "tree", "KIND=NAME", "AllReduce"]),
    (["--algorithms=AllReduce=tree,AllReduce=ring"], ["algorithms", "each once"]),
    (["--algorithms=AllReduce=stragglar"], ["algorithms", "stragglar", "AllReduce=NAME", "tree"]),
    (["--algorithms=AllGather=direct"], ["algorithms", "direct AllGather", "DIRECT", "--policy"]),
    (["--algorithms=Broadcast=tree"], ["algorithms", "no group", "Broadcast"]),
    (["--ns3::OpusSchim::KeepLeases=false"], ["ns3::OpusSchim::KeepLeases", "no class ns3::OpusSchim"]),
    (["--ns3::OpusShim::KeepLease=false"], ["ns3::OpusShim::KeepLease", "no attribute KeepLease"]),
    (["--OpusShim::HostThreshold=1"], ["no class OpusShim", "allowed: --ns3::OpusShim::HostThreshold"]),
    (["--slowdown=16:2"], ["slowdown", "16:2", "0 to 15"]),
    (["--slowdown=1:2,1:3"], ["slowdown", "each once"]),
    (["--slowdown=1"], ["slowdown", "RANK:FACTOR"]),
    (["--slowdown=1:1e3"], ["slowdown", "0.1 to 100"]),
    (["--jitter=-1"], ["jitter", "-1", "0 to 10"]),
    (["--operations=/nowhere/at/all"], ["operations", "/nowhere/at/all"]),
    (["--operationsRank=16"], ["operationsRank", "16", "all, or a rank below 16"]),
    (["--operationsRank=some"], ["operationsRank", "some", "all, or a rank below 16"]),
    (["--trace=none"], ["--trace", "none.0.et", "no such file"]),
    (["--trace=none.csv"], ["--trace", "none.csv", "cannot be read"]),
    (["--traceRanks=8"], ["--traceRanks=8", "without --trace"]),
    (["--trace=none", "--traceRanks=65537"], ["traceRanks", "65537", "65536"]),
    (["--profileRank=16"], ["profileRank", "16", "below 16"]),
    (["--timeline=/nowhere/at/all"], ["timeline", "/nowhere/at/all"]),
    (["--timelineRanks=16"], ["timelineRanks", "16", "0 to 15", "0,4,8-11"]),
    (["--timelineRanks=4-1"], ["timelineRanks", "4-1", "0 to 15"]),
    (["--timelineRanks=1,"], ["timelineRanks", "1,", "0 to 15"]),
    (["--timelineRanks=-"], ["timelineRanks", "-", "0 to 15"]),
    (["--timelineRanks=0-99999999999"], ["timelineRanks", "0-99999999999", "0 to 15"]),
    (["--timelineRanks=4", "--symmetry=rails", "--controllers=rails"], ["timelineRanks", "0 to 3"]),
    (["--timelineFrom=-1s"], ["timelineFrom", "-1s", "0s to 1000000s"]),
    (["--timelineTo=soon"], ["timelineTo", "soon", "0s to 1000000s"]),
    (["--timelineFrom=2s", "--timelineTo=2s"], ["timelineTo", "2s", "later than --timelineFrom"]),
    (["--timelineBin=1ns"], ["timelineBin", "1ns", "from 1us"]),
    (["--timelineEvents=0"], ["timelineEvents", "0", "from 1"]),
    (["--profile=x.json", "--fabric=electrical"], ["profile", "lent"]),
    (["--report=/nowhere/at/all.html"], ["report", "/nowhere/at/all.html"]),
    (["--report=/dev/null", "--reportLibrary=/nowhere.js"], ["reportLibrary", "/nowhere.js", "none"]),
    (["--report=/dev/null", "--reportLibrary=/etc/hostname"], ["reportLibrary", "Chart.js"]),
    (["--cp=x"], ["cp", "x", "whole number"]),
    (["--describe", "--tp=3"], ["tp", "3"]),
    (["--fsdp=8", "--tp=1", "--pp=1", "--gpusPerDomain=4", "--scaleUp=none"],
     ["--fabric=photonic", "fsdp group", "0, 1, 2, 3", "--scaleUp=network", "leaf-spine"]),
    (["--fsdp=8", "--tp=1", "--pp=1", "--gpusPerDomain=4", "--controllers=rails"],
     ["--controllers=rails", "all rails at once", "--controllers=one"]),
    (["--fsdp=8", "--tp=1", "--pp=1", "--gpusPerDomain=4", "--scaleUp=none", "--fabric=rail-only"],
     ["--fabric=rail-only", "fsdp group", "--scaleUp=network"]),
    (["--hostNetwork=fast"], ["hostNetwork", "fast", "none", "1Gbps to 100Tbps"]),
    (["--hostNetwork=100"], ["hostNetwork", "100", "none"]),
    (["--hostThreshold=1MB"], ["hostThreshold", "1MB"]),
    (["--hostThreshold=-1"], ["hostThreshold", "-1"]),
    (["--symmetry=rails", "--hostNetwork=100Gbps", "--jitter=0.1"], ["symmetry", "--jitter"]),
    (["--reconfigDelay=15"], ["reconfigDelay", "15", "such as 25ms"]),
    (["--controllerCrash=1"], ["controllerCrash", "1", "TIME[,RESTART"]),
    (["--fault=gpu:1@1"], ["fault", "gpu:1@1", "KIND:TARGET@TIME"]),
    (["--fabric=electrical", "--ocs=plzt"], ["--ocs=plzt", "--fabric=electrical", "--fabric=photonic"]),
    (["--fabric=electrical", "--reconfigDelay=1ms"], ["--reconfigDelay=1ms", "--fabric=electrical"]),
    (["--fabric=leaf-spine", "--policy=oracle"], ["--policy=oracle", "--fabric=leaf-spine"]),
    (["--fabric=photonic", "--oversubscription=2:1"], ["--oversubscription=2:1", "--fabric=photonic"]),
    (["--fabricRate=400Gbps"], ["--fabricRate=400Gbps", "--fabric=photonic", "another --fabric"]),
    (["--hopLatency=1us"], ["--hopLatency=1us", "--fabric=photonic", "without --hostNetwork"]),
    (["--slotTime=1ms"], ["--slotTime=1ms", "--policy=provisioned", "--policy=rotor"]),
    (["--policy=torus", "--controllers=rails"], ["--controllers=rails", "--policy=torus"]),
    (["--policy=rotor", "--controlLatency=1ms"],
     ["--controlLatency=1ms", "--policy=rotor", "a --policy that lends circuits"]),
    (["--policy=torus", "--hostLatency=1ms"], ["--hostLatency=1ms", "--policy=torus", "--hostNetwork"]),
    (["--fabric=electrical", "--controlLatency=1ms"], ["--controlLatency=1ms", "--fabric=electrical"]),
    (["--policy=rotor", "--spareGpus=1"], ["--policy=rotor: its rotation does not include spare GPUs"]),
    (["--policy=torus", "--spareGpus=1"], ["--policy=torus: circuits that stay do not follow a rank"]),
    (["--policy=torus", "--symmetry=rails"], ["--policy=torus: its circuits are planned for all rails together"]),
    (["--policy=torus", "--nicPorts=4", "--gpusPerDomain=4", "--scaleUp=a100", "--tp=2", "--fsdp=8", "--pp=1"],
     ["--policy=torus", "GPUs 0 and 14 cannot reach each other", "missing between GPUs 2 and 14 or"]),
    (["--policy=rotor", "--symmetry=rails"], ["--symmetry=rails", "--policy=rotor: its rails may differ"]),
    (["--fabric=electrical", "--standby"], ["--standby=true", "--fabric=photonic"]),
    (["--hostThreshold=4K"], ["--hostThreshold=4K", "without --hostNetwork"]),
    (["--detectionTime=1ms"], ["--detectionTime=1ms", "without --fault and without --faultRate"]),
    (["--protectionTime=1ms"], ["--protectionTime=1ms", "without --spareRails"]),
    (["--recovery=rail"], ["--recovery=rail", "without --spareGpus and without --spareDomains"]),
    (["--timelineEvents=5"], ["--timelineEvents=5", "without --timeline"]),
    (["--operationsRank=1"], ["--operationsRank=1", "without --operations"]),
    (["--pcapSnapLength=128"], ["--pcapSnapLength=128", "without --pcap"]),
    (["--reportLatency"], ["--reportLatency=true", "without --report"]),
    (["--popularitySeed=2"], ["--popularitySeed=2", "--popularity=uniform", "zipf"]),
    (["--polcy=rotor"], ["--polcy=rotor is no flag", "the nearest is --policy"]),
    (["--" + "x" * 100000], ["is no flag", "--help lists them"]),
    (["--help=everything"], ["help", "everything", "all, json, or one of job, parallelism"]),
    (["--ns3::ElectricalSwitch::HopLatency=1us"], ["HopLatency", "--hopLatency"]),
    (["--ns3::OpusShim::HoldTime=10"], ["HoldTime=10", "a time such as 10us"]),
    (["--ns3::OpusShim::KeepLeases=false"], ["KeepLeases=false", "--policy"]),
    (["--ns3::RdmaNic::Fidelity=Packet", "--fidelity=burst"], ["Fidelity=Packet", "--fidelity=burst", "one of them"]),
    (["--job=/nowhere/at/all"], ["job", "/nowhere/at/all", "cannot be read"]),
    (["--job=/"], ["job", "cannot be read"]),
]
# Texts of job files, and what the line must contain.
JOB_FILES = [
    ("", ["job", "must be JSON"]),
    ("[1, 2]", ["job", "JSON object"]),
    ('{"tpp": 4}', ["job", "tpp is no flag of a job; the nearest are tp", "--help=all"]),
    ('{"json": "x"}', ["job", "json", "no flag of a job"]),
    ('{"ocs": "plzt", "fabric": "electrical"}', ["--ocs=plzt", "--fabric=electrical"]),
    ('{"tp": [4]}', ["job", 'tp is [...]', "a number"]),
    ('{"model": {}}', ["model"]),
    ('{"model": {"name": "x", "layer": 2}}', ["model", "layer"]),
    ('{"model": "/nowhere/at/all.json"}', ["model", "/nowhere/at/all.json", "can be read"]),
    ('{"gpu": ""}', ["gpu", "one of"]),
    ('{"tp": "4 --fsdp=3"}', ["tp", "4 --fsdp=3", "whole number"]),
    ('{"tp": null}', ["job", 'tp is null']),
    ('{"tp": {"a": 1}}', ["job", 'tp is']),
    ('{"tp": 4, "tp": 2}', ["job", 'tp: must be in an object once']),
    ('{"tp": "four"}', ["tp", "four", "whole number"]),
    ('{"tp": 2.5}', ["tp", "2.5", "whole number"]),
    ('{"tp": true}', ["tp", "true", "whole number"]),
    ('{"pfc": "perhaps"}', ["job", "pfc", "true or false"]),
    ('{"model": ["a"]}', ["job", "model", "or an object"]),
    ('{"ns3::OpusShim::HoldTime": "fast"}', ["HoldTime=fast", "a time such as 10us"]),
    ('{"ns3::OpusShim::Nothing": "1"}', ["OpusShim has no attribute Nothing"]),
    ('{"gpu": "a\\u000a100"}', ["job", "gpu", "control characters"]),
    ('{"a\\u000ab": 1}', ["job", "a\\nb", "no flag"]),
    ('{"tp": 1e999}', ["job", "at most 1e308"]),
    ('{"model": ' + '{"x":' * 5000 + "1" + "}" * 5001, ["job", "inside each other", "at most 16"]),
    ("[" * 50000, ["job", "inside each other", "at most 16"]),
    (" " * (1 << 20) + "{}", ["job", "at most 65536"]),
    ('{"tp": \xff}', ["job", "must be JSON"]),
]
COLLECTIVES = [
    (["--fabric=electrical", "--lend"], ["--lend", "--fabric=photonic"]),
    (["--collective=AllToAll", "--algorithm=pairwise", "--domains=4"], ["the connector DIRECT", "--lend"]),
    (["--collective=AllSum"], ["collective", "AllSum", "AllReduce", "AllGather"]),
    (["--algorithm=star"], ["algorithm", "star", "ring", "AllReduce"]),
    (["--fabric=copper"], ["fabric", "copper", "photonic", "electrical"]),
    (["--minBytes=many"], ["minBytes", "many", "64K"]),
    (["--minBytes=1.5M"], ["minBytes", "1.5M"]),
    (["--minBytes=0"], ["minBytes", "at least 1"]),
    (["--minBytes=1", "--maxBytes=3"], ["maxBytes", "3", "4"]),
    (["--minBytes=1", "--maxBytes=31", "--collective=AllGather"], ["maxBytes", "31", "32"]),
    (["--collective=Gather", "--domains=5000", "--fabric=electrical", "--maxBytes=1M"], ["domains", "4096 GPUs"]),
    (["--minBytes=8K", "--maxBytes=4K"], ["maxBytes", "4K", "minBytes"]),
    (["--maxBytes=2T"], ["maxBytes", "2T"]),
    (["--stepFactor=1"], ["stepFactor", "1", "from 2"]),
    (["--warmup=-1"], ["warmup", "-1", "whole number"]),
    (["--iters=0"], ["iters", "0", "from 1"]),
    (["--domains=0"], ["domains", "0", "from 1"]),
    (["--domains=1"], ["domains", "1", "2 GPUs"]),
    (["--domains=65536", "--fabric=electrical", "--minBytes=256K", "--maxBytes=256K"],
     ["ring", "65536 ranks", "65536 messages"]),
    (["--collective=AllToAll", "--fabric=fat-tree", "--domains=2048", "--nicPorts=1",
      "--minBytes=16K"], ["direct", "2048 ranks", "1000000 queue pairs"]),
    (["--domains=1000"], ["radix", "polatis", "576"]),
    (["--nicPorts=1"], ["nicPorts", "1"]),
    (["--nicPorts=3"], ["nicPorts", "3", "1, 2 or 4"]),
    (["--portRate=fast"], ["portRate", "fast"]),
    (["--ocs=abacus"], ["ocs", "abacus", "polatis"]),
    (["--hopLatency=1h"], ["hopLatency", "1h", "1ms"]),
    (["--cc=bbr"], ["cc", "bbr", "none, dcqcn, dcqcn-paper, swift"]),
    (["--cc=dcqcn", "--ecn=false"], ["ecn", "false", "true with --cc=dcqcn"]),
    (["--lossRecovery=none"], ["lossRecovery", "none", "selective-repeat"]),
    (["--fabric=leaf-spine", "--domains=64", "--ns3::ClosFabric::Spines=3"], ["32 uplinks", "3 spines"]),
    (["--fabric=fat-tree", "--ns3::ClosFabric::Spines=3"], ["Spines=3", "no effect", "fat-tree"]),
    (["--fabric=fat-tree", "--loadBalancing=dice"], ["loadBalancing", "dice", "adaptive, ecmp"]),
    (["--fabric=fat-tree", "--loadBalancing=random"],
     ["loadBalancing", "random", "go-back-n", "selective-repeat"]),
    (["--loadBalancing=random", "--lossRecovery=selective-repeat"],
     ["loadBalancing", "no effect", "photonic"]),
    (["--fabric=leaf-spine", "--domains=128", "--ns3::ElectricalSwitch::LoadBalancing=adaptive"],
     ["LoadBalancing adaptive", "GoBackN", "SelectiveRepeat"]),
    (["--fabric=leaf-spine", "--ns3::ElectricalSwitch::LoadBalancing=dice"],
     ["LoadBalancing is dice", "adaptive, ecmp"]),
    (["--scaleUp=abacus"], ["scaleUp", "abacus", "none"]),
    (["--group=half"], ["group", "half", "world", "rail"]),
    (["--gpusPerDomain=2", "--fabric=rail-only"], ["ring", "GPUs 0 and 1"]),
    (["--gpusPerDomain=2"], ["ring", "GPUs 0 and 1"]),
    (["--fabric=leaf-spine", "--ns3::ElectricalSwitch::BufferSize=1000"], ["BufferSize", "1000 bytes"]),
    (["--fabric=electrical", "--ns3::ElectricalSwitch::Kmin=1000000000"], ["Kmin", "1000000000", "Kmax"]),
    (["stray"], ["stray"]),
]
STRAGGLER = [
    (["--ranks=4,x"], ["ranks", "4,x", "from 2 to 1024"]),
    (["--ranks=1"], ["ranks", "1", "from 2 to 1024"]),
    (["--ranks=4,"], ["ranks", "4,", "from 2 to 1024"]),
    (["--ranks=2048"], ["ranks", "2048", "from 2 to 1024"]),
    (["--ranks=4,8", "--straggler=4"], ["straggler", "4", "below the smallest number of ranks, 4"]),
    (["--straggler=last"], ["straggler", "last", "whole number"]),
    (["--bytes=0"], ["bytes", "0", "such as 1M,64M"]),
    (["--bytes=1M,many"], ["bytes", "1M,many", "such as 1M,64M"]),
    (["--algorithms=ring,star"], ["algorithms", "ring,star", "stragglar"]),
    (["--algorithms=pxn"], ["algorithms", "pxn", "stragglar"]),
    (["--stragglerDelay=soon"], ["stragglerDelay", "soon", "0.5x"]),
    (["--stragglerDelay=-1x"], ["stragglerDelay", "-1x", "0.5x"]),
    (["--stragglerDelay=2h"], ["stragglerDelay", "2h", "1 h"]),
    (["--stragglerDelay=x"], ["stragglerDelay", "x", "0.5x"]),
    (["--stragglerDelay=0s,"], ["stragglerDelay", "0s,", "0.5x"]),
    (["--gpusPerDomain=2"], ["gpusPerDomain", "2", "--scaleUp"]),
    (["--fabric=photonic", "--ranks=1000"], ["radix", "polatis", "576"]),
    (["--fabric=photonic", "--ranks=4", "--nicPorts=1"], ["nicPorts", "1"]),
    (["--scaleUp=h100", "--ranks=16"], ["nvlink4", "8 GPUs", "16"]),
    (["--fabric=copper"], ["fabric", "copper", "photonic"]),
    (["stray"], ["stray"]),
]
COMPARISON = [
    (["--traffic=rumour"], ["traffic", "rumour", "collective", "permutation", "job"]),
    (["--fabrics=photonic,copper"], ["fabrics", "copper", "fat-tree"]),
    (["--fabrics=electrical,fat-tree,electrical"], ["fabrics", "electrical,", "each once"]),
    (["--fabrics=,"], ["fabrics", "each once"]),
    (["-traffic=permutation", "--bytes=0"], ["bytes", "0", "at least 1"]),
    (["--traffic=collective", "--traffic=permutation", "--bytes=0"], ["bytes", "at least 1"]),
    (["--traffic=permutation", "--gpusPerDomain=2", "--fabrics=rail-only"], ["rail-only", "rails"]),
    (["--traffic=permutation", "--domains=65536", "--gpusPerDomain=65536"], ["65536 domains of 65536 GPUs"]),
    (["--domains=65536", "--gpusPerDomain=65536"], ["65536 domains of 65536 GPUs"]),
    (["--bytes=many"], ["bytes", "many", "64K"]),
    (["--bytes=3", "--collective=AllGather"], ["bytes", "3", "at least 32"]),
    (["--collective=AllSum"], ["collective", "AllSum", "AllReduce"]),
    (["--gpusPerDomain=2", "--fabrics=photonic,rail-only"], ["ring", "GPUs 0 and 1"]),
    (["--traffic=permutation", "--bytes=0"], ["bytes", "0", "at least 1"]),
    (["--traffic=permutation", "--seed=x"], ["seed", "x", "whole number"]),
    (["--traffic=permutation", "--domains=1"], ["domains", "1", "2 GPUs"]),
    (["--traffic=permutation", "--group=half"], ["group", "half", "world, rail"]),
    (["--traffic=permutation", "--nicPorts=1", "--fabrics=photonic"], ["nicPorts", "1"]),
    (["--traffic=job", "--model=gpt-5"], ["model", "gpt-5", "llama3-8b"]),
    (["--traffic=permutation", "--fabrics=fat-tree", "--ns3::ElectricalSwitch::BufferSize=1000"],
     ["BufferSize", "1000 bytes"]),
    (["--traffic=job", "--tp=3"], ["tp", "3"]),
    (["--portRate=fast"], ["portRate", "fast"]),
    (["stray"], ["stray"]),
]
COMPARE = [
    (["--networks=copper"], ["networks", "copper", "static-partition"]),
    (["--networks=provisioned,provisioned"], ["networks", "each once"]),
    (["--networks="], ["networks", "each once"]),
    (["--processes=many"], ["processes", "many", "whole number"]),
    (["--processes=1025"], ["processes", "1025", "1024"]),
    (["--computeEfficiency=2"], ["computeEfficiency", "2", "0.001 to 1"]),
    (["--report=/nowhere/out.html"], ["report", "/nowhere/out.html"]),
    (["--reportLibrary=none"], ["reportLibrary", "report"]),
    (["--fabric=electrical"], ["--fabric=electrical", "no flag"]),
    (["--policy=oracle"], ["--policy=oracle", "no flag"]),
    (["--describe"], ["--describe", "no flag"]),
    (["--model=gpt-5"], ["model", "gpt-5", "llama3-8b"]),
    (["--tp=3"], ["tp", "3"]),
    (["--reconfigDelay=soon"], ["reconfigDelay", "soon"]),
    (["stray"], ["stray"]),
]
BENCHMARK = [
    (["--bench=speed"], ["bench", "speed", "hops", "contended"]),
    (["--bench=hops,hops"], ["bench", "hops,hops", "each once"]),
    (["--bench=,"], ["bench", "each once"]),
    (["--fidelity=fine"], ["fidelity", "fine", "both, burst, packet"]),
    (["--repeat=0"], ["repeat", "0", "from 1"]),
    (["--hosts=1"], ["hosts", "1", "from 2 to 288"]),
    (["--hosts=many"], ["hosts", "many", "whole number"]),
    (["--bytes=0"], ["bytes", "0", "at least 1"]),
    (["--rate=fast"], ["rate", "fast", "100Gbps"]),
    (["--delay=1s"], ["delay", "1s", "1ms"]),
    (["--sizes=64K,1"], ["sizes", "64K,1", "at least 1K"]),
    (["--sizes=64K,big"], ["sizes", "big", "at least 1K"]),
    (["--maxGpus=8"], ["maxGpus", "8", "16"]),
    (["--load=2"], ["load", "2", "1"]),
    (["--messageBytes=0"], ["messageBytes", "0", "at least 1"]),
    (["--processes=0"], ["processes", "0", "from 1 to 1024"]),
    (["stray"], ["stray"]),
]
SWEEP = [
    (["--vary="], ["vary", "flag"]),
    (["--vary=tp"], ["vary", "tp"]),
    (["--vary=a\nb=1"], [r"a\nb"]),
    (["--vary=colour=red,blue"], ["colour"]),
    (["--vary=json=a,b"], ["json", "single run"]),
    (["--profile=x.json"], ["profile", "single run"]),
    (["--report=x.html"], ["report", "single run"]),
    (["--describe"], ["describe", "single run"]),
    (["--timeline=x.json"], ["timeline", "single run"]),
    (["--vary=policy=oracle,oracle"], ["vary", "policy", "twice"]),
    (["--policy=oracle"], ["vary", "policy"]),
    (["--processes=0"], ["processes", "0", "from 1 to 1024"]),
    (["--csv=/nowhere/out.csv"], ["csv", "/nowhere/out.csv"]),
    (["stray"], ["stray"]),
]
COST = [
    (["--gpus="], ["gpus", "numbers separated by commas"]),
    (["--gpus=100"], ["gpus", "100", "multiple of gpusPerDomain (8)"]),
    (["--gpus=64,many"], ["gpus", "64,many"]),
    (["--gpus=8,-8"], ["gpus", "8,-8"]),
    (["--gpus=64,"], ["gpus", "64,", "separated by commas"]),
    (["--gpus=4294967296"], ["gpus", "4294967296", "100000000"]),
    (["--gpus=" + ",".join(["8"] * 257)], ["gpus", "at most 256"]),
    (["--gpusPerDomain=0"], ["gpusPerDomain", "1 to 65536"]),
    (["--networks=copper"], ["networks", "copper", "leaf-spine", "photonic"]),
    (["--networks=leaf-spine:4"], ["networks", "leaf-spine:4", "at most 3 tiers"]),
    (["--networks=photonic,,"], ["networks", "photonic,,"]),
    (["--counting=fair"], ["counting", "fair", "ports, devices"]),
    (["--nicRate=0"], ["nicRate", "0"]),
    (["--nicRate=123"], ["nicRate", "123", "no transceiver of 123 Gbit/s"]),
    (["--nicPorts=65"], ["nicPorts", "65", "1 to 64"]),
    (["--switchPorts=0"], ["switchPorts", "0", "1 to 64"]),
    (["--switchCables=copper"], ["switchCables", "copper", "optical, active"]),
    (["--simplex=maybe"], ["simplex", "maybe", "false, true"]),
    (["--ocs=abacus"], ["ocs", "abacus", "polatis"]),
    (["--levels=5"], ["levels", "5", "1 to 4"]),
    (["--parts=missing.json"], ["parts", "missing.json", "a file that can be read"]),
    (["--parts=/dev/null"], ["parts", "/dev/null", "line 1, column 1: must be JSON"]),
    (["--run=missing.json"], ["run", "missing.json", "a file that can be read"]),
    (["--run=/dev/zero"], ["run", "/dev/zero", "must be at most 16777216"]),
    (["--parts=."], ["parts", "a file that can be read"]),
    (["--csv=missing/out.csv"], ["csv", "missing/out.csv", "a file that can be written"]),
    (["--table3"], ["json", "--table3"]),
]
WINDOWS = [
    (["--phases=both"], ["phases", "both", "group, parallelism"]),
    (["--skip=1", "--iterations=1"], ["skip", "1", "iterations"]),
    (["--skip=-1"], ["skip", "-1"]),
    (["--threshold=soon"], ["threshold", "soon", "such as 1ms"]),
    (["--csv=/nowhere/out.csv"], ["csv", "/nowhere/out.csv"]),
    (["--describe"], ["describe"]),
    (["--tp=3"], ["tp"]),
    (["stray"], ["stray"]),
]
PIP_SWITCH = [
    (["--ports=1"], ["ports", "1", "from 2 to 64"]),
    (["--ports=4,,8"], ["ports", "4,,8", "separated by commas"]),
    (["--ports=65"], ["ports", "65", "from 2 to 64"]),
    (["--ports=21", "--rows=2", "--columns=2"], ["ports", "21", "from 2 to 20"]),
    (["--rows=3"], ["rows", "3", "together with --columns"]),
    (["--columns=3"], ["columns", "3", "together with --rows"]),
    (["--rows=17", "--columns=3"], ["rows", "17", "1 to 16"]),
    (["--rows=0", "--columns=3"], ["rows", "0"]),
    (["--solver=maybe"], ["solver", "maybe", "true, false"]),
    (["--solverPorts=17"], ["solverPorts", "17", "0 to 16"]),
    (["--negotiation=0"], ["negotiation", "0"]),
    (["--exchanges=-1"], ["exchanges", "-1"]),
    (["--conflicts=0"], ["conflicts", "0"]),
    (["--read=missing.txt"], ["read", "missing.txt", "a file that can be read"]),
    (["--read=/dev/null"], ["read", "/dev/null", "a file that can be read"]),
    (["--read=/dev/zero"], ["read", "/dev/zero", "longer than 16384"]),
    (["--read=."], ["read", "a file that can be read"]),
    (["--ports=4,8", "--write=plan.txt"], ["write", "plan.txt", "one number of ports"]),
    (["--ports=4,8", "--lights=out.csv"], ["lights", "out.csv", "one number of ports"]),
    (["--matching=0-1"], ["matching", "0-1", "--rows and --columns"]),
    (["--matching=0-3", "--rows=2", "--columns=2"], ["json", "left out with --matching"]),
    (["--write=missing/plan.txt"], ["write", "missing/plan.txt", "a file that can be written"]),
    (["--csv=missing/out.csv"], ["csv", "missing/out.csv", "a file that can be written"]),
    (["stray"], ["stray"]),
]
RECOVERY = [
    (["--losses=0"], ["losses", "0", "1"]),
    (["--losses=5"], ["losses", "5", "at most the 4 GPUs"]),
    (["--oversubscriptions=0.5"], ["oversubscriptions", "0.5", "1 to 100"]),
    (["--oversubscriptions=2,much"], ["oversubscriptions", "2,much", "separated by commas"]),
    (["--migrationTime=soon"], ["migrationTime", "soon", "such as 30s"]),
    (["--migrationStateRate=0"], ["migrationStateRate", "0", "such as 100Gbps"]),
    (["--fault=gpu:0@1s"], ["fault", "differs between the racks"]),
    (["--spareGpus=1"], ["spareGpus", "differs between the racks"]),
    (["--policy=torus"], ["spareDomains", "--policy that lends"]),
    (["--tp=3"], ["tp"]),
    (["stray"], ["stray"]),
]
IP = [
    (["--fabric=copper"], ["fabric", "copper", "leaf-spine", "FABRIC.json"]),
    (["--fabric=missing.json"], ["fabric", "missing.json", "cannot be read"]),
    (["--mtu=1000"], ["mtu", "1000", "1280 to 9216"]),
    (["--queue=0"], ["queue", "0"]),
    (["--rdmaBytes=some"], ["rdmaBytes", "some"]),
    (["--tcpBytes=0"], ["tcpBytes", "0"]),
    (["--portRate=fast"], ["portRate", "fast"]),
    (["--flows=missing/flows.xml"], ["flows", "missing/flows.xml"]),
]
# Files with fabrics, and what the line must contain.
FABRIC_FILES = [
    ("", ["fabric.json"]),
    ("[]", ["must be an object"]),
    ('{"domains": 4', ["--fabric=", "must be JSON"]),
    ('{"domains": 1, "gpusPerDomain": 4, "nicPorts": 2, "switches": ["s"], "nics": [{"switch": "s", "gpus": [0]}]}',
     ["nics", "2 of 8 NIC ports have a link"]),
    ('{"domains": 4, "gpusPerDomain": 4, "nicPorts": 2, "switches": ["s"], "colour": 1, "nics": []}',
     ["colour", "unknown"]),
    ('{"domains": 1, "gpusPerDomain": 1, "nicPorts": 1, "switches": ["s"], "nics": [{"switch": "s", "gpus": [0]}]}',
     ["1 domains of 1 GPUs with 1 NIC ports each", "4 domains of 4 GPUs"]),
    ('{"domains": 1, "gpusPerDomain": 1, "nicPorts": 1, "circuitSwitches": ["s"], "nics": '
     '[{"switch": "s", "gpus": [0]}]}',
     ["1 domains of 1 GPUs with 1 NIC ports each", "4 domains of 4 GPUs"]),
    ('{"domains": 1, "gpusPerDomain": 1, "nicPorts": 1, "circuitSwitches": ["s"], "nics": '
     '[{"switch": "s", "gpus": [0], "circuitPorts": [70000]}]}', ["circuitPorts", "0 to 65535"]),
]
# The ports of its circuit switch are 0, 3, 17 and 40.
CIRCUITS = ('{"domains": 2, "gpusPerDomain": 1, "nicPorts": 2, "circuitSwitches": ["ocs"], "nics": '
            '[{"switch": "ocs", "gpus": [0], "circuitPorts": [17, 3]}, '
            '{"switch": "ocs", "gpus": [1], "circuitPorts": [0, 40]}]}')
ON_CIRCUITS = ["--model=debugmodel", "--tp=1", "--gpusPerDomain=1", "--fsdp=2", "--pp=1"]
# Flags beside this file, and what the line must contain.
CIRCUIT_FLAGS = [
    (["--spareRails=1"], ["--spareRails", "no fibers of spares"]),
    (["--spareGpus=1"], ["--spareGpus", "no fibers of spares"]),
    (["--fault=ocs-port:0/1@1s"], ["ocs-port:0/1@1s", "0, 3, 17, 40"]),
    (["--fault=ocs-port:0/41@1s"], ["ocs-port:0/41@1s", "0, 3, 17, 40"]),
]
# Variables of the environment, their values, and what the line must contain.
ENVIRONMENTS = [
    ("NS_GLOBAL_VALUE", "RngSeed=0", ["RngSeed=0", "1 to 4294944442"]),
    ("NS_GLOBAL_VALUE", "SimulatorImplementationType=ns3::RealtimeSimulatorImpl",
     ["RealtimeSimulatorImpl", "real time"]),
    ("NS_ATTRIBUTE_DEFAULT", "ns3::RdmaQueuePair::Mtu=1", ["NS_ATTRIBUTE_DEFAULT", "Mtu=1 ", "256 to 8192"]),
    ("NS_ATTRIBUTE_DEFAULT", "ns3::RdmaQueuePair::Mtu=1024;ns3::RdmaQueuePair::NoSuch=1",
     ["NS_ATTRIBUTE_DEFAULT", "no attribute NoSuch"]),
    ("NS_ATTRIBUTE_DEFAULT", "ns3::TrainingApplication::ComputeJitter=ns3::UniformRandomVariable",
     ["NS_ATTRIBUTE_DEFAULT", "--ns3::TrainingApplication::ComputeJitter"]),
    ("NS_ATTRIBUTE_DEFAULT", "Mtu", ["NS_ATTRIBUTE_DEFAULT", "CLASS::ATTRIBUTE=VALUE"]),
    ("NS_ATTRIBUTE_DEFAULT", "ns3::Application::StartTime=-1s", ["StartTime=-1s", "at least 0s"]),
]
PROGRAMS = {
    "photonic-rails-ip-beside-rdma": (["--echoes=1"], IP, []),
    "photonic-rails-pip-switch": (["--ports=4", JSON], PIP_SWITCH, []),
    "photonic-rails-recovery": (["--model=debugmodel", "--fsdp=4", JSON], RECOVERY, []),
    "photonic-rails-windows": (["--model=debugmodel", JSON], WINDOWS, ["--quiet=maybe"]),
    "photonic-rails-sweep": (["--model=debugmodel", "--vary=policy=oracle"], SWEEP, []),
    "photonic-rails-training": (["--model=debugmodel", JSON], TRAINING, ["--quiet=maybe"]),
    "photonic-rails-cost": ([JSON], COST, ["--table3=maybe"]),
    "photonic-rails-collectives": (["--maxBytes=16K", JSON], COLLECTIVES, ["--pfc=maybe"]),
    "photonic-rails-straggler": (["--ranks=2", "--bytes=64K", "--fabric=electrical", JSON], STRAGGLER,
                                 ["--planOnly=maybe"]),
    "photonic-rails-fabric-comparison": (["--traffic=collective", JSON], COMPARISON, ["--latency=maybe"]),
    "photonic-rails-compare": (["--model=debugmodel", JSON], COMPARE, ["--breakEven=maybe"]),
    "photonic-rails-benchmark": (["--bench=hops", "--bytes=64K", "--repeat=1", JSON], BENCHMARK, []),
}


def run(program, flags, folder, environment=None):
    return subprocess.run([program, *flags], cwd=folder, capture_output=True, text=True,
                          timeout=60, check=False, env=environment)


def check(program, flags, needles, environment=None):
    """Return what is wrong with the answer to one wrong input, or an empty string."""
    with tempfile.TemporaryDirectory() as folder:
        json = pathlib.Path(folder, "out.json")
        done = run(program, [flag for flag in flags if flag != JSON] +
                   [f"--json={json}"] * (JSON in flags), folder, environment)
        lines = done.stderr.strip().splitlines()
        if done.returncode != 1:
            return f"exit code {done.returncode}"
        if len(lines) != 1 or done.stdout:
            return f"{len(lines)} lines instead of one: {done.stderr}{done.stdout}"
        missing = [needle for needle in needles if needle not in lines[0]]
        if missing:
            return f"the line does not name {missing}: {lines[0]}"
        left = list(pathlib.Path(folder).iterdir())
        return f"left behind: {left}" if left else ""


def check_job(program, text, needles):
    """Return what is wrong with the answer to a wrong job file."""
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder, "job.json")
        job.write_text(text, encoding="latin-1")
        return check(program, [JSON, "--describe", f"--job={job}"], needles)


def check_fabric(program, text, needles, flags=()):
    """Return what is wrong with the answer to a file with a fabric, which is wrong itself or beside flags."""
    with tempfile.TemporaryDirectory() as folder:
        fabric = pathlib.Path(folder, "fabric.json")
        fabric.write_text(text, encoding="latin-1")
        return check(program, [JSON, f"--fabric={fabric}", *flags], needles)


def check_unwritable(program, small):
    """Return what is wrong when the JSON cannot be written where there is no folder."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, [*small, "--json=missing/out.json"], folder)
        good = done.returncode == 1 and "missing/out.json" in done.stderr
        if good and not list(pathlib.Path(folder).iterdir()):
            return ""
        return f"exit code {done.returncode}: {done.stderr!r}"


def check_unparsable(program, flag):
    """ns-3's own parser answers truth values that are none, and prints the usage."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, [flag], folder)
        first = (done.stderr.splitlines() or [""])[0]
        good = done.returncode == 1 and flag in first
        return "" if good else f"exit code {done.returncode}, {first}"


def main():
    kinds = failures = 0
    for name, (small, cases, unparsable) in PROGRAMS.items():
        program = str(pathlib.Path(sys.argv[1], name).resolve())
        problems = [(" ".join(flags), check(program, [*small, *flags], needles))
                    for flags, needles in cases]
        problems += [(flag, check_unparsable(program, flag))
                     for flag in ["--noSuchFlag=1", *unparsable]]
        if JSON in small:
            flags = [flag for flag in small if flag != JSON]
            problems.append(("--json=missing/out.json", check_unwritable(program, flags)))
        if program.endswith("training"):
            problems += [(text[:40], check_job(program, text, needles))
                         for text, needles in JOB_FILES]
            problems += [(text[:40], check_fabric(program, text, ["fabric.json", *needles]))
                         for text, needles in FABRIC_FILES]
            problems += [(flags, check_fabric(program, CIRCUITS, needles, [*ON_CIRCUITS, *flags]))
                         for flags, needles in CIRCUIT_FLAGS]
            problems += [(text, check(program, small, needles, os.environ | {variable: text}))
                         for variable, text, needles in ENVIRONMENTS]
        kinds += len(problems)
        for flags, problem in problems:
            if problem:
                failures += 1
                print(f"{name} {flags}: {problem}")
    print(f"{kinds} kinds of wrong input, {failures} answered wrongly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
