#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# tshark reads the captures of photonic-rails-first-circuit as RoCEv2: nothing
# malformed, no expert notes, the expected opcodes and consecutive PSNs; also
# with selective repeat on a path that loses packets.
# Argument: the folder of the examples.
set -euo pipefail

examples=$(cd "$1" && pwd)
command -v tshark >/dev/null || { echo "tshark is not installed"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder # no profile of the user's

fail() {
    echo "FAILED: $*"
    exit 1
}

# fields CAPTURE FIELD...: the fields of each packet, one packet a line.
fields() {
    local capture=$1 arguments=() field
    shift
    for field; do arguments+=(-e "$field"); done
    tshark -r "$capture" -T fields "${arguments[@]}" 2>tshark.err
}

# same WHAT EXPECTED ACTUAL
same() {
    [[ $2 == "$3" ]] || fail "$1: expected
$2
but there is
$(head -n 20 <<<"$3")"
    echo "ok: $1"
}

"$examples/photonic-rails-first-circuit" --pcap=run
same "one capture for each port" "run-0-0.pcap run-1-0.pcap" "$(echo *.pcap)"

# 64 MiB in packets of 4096 bytes, an acknowledgement for every 32nd.
packets=16384
acks=512
for capture in run-0-0.pcap run-1-0.pcap; do
    same "$capture is InfiniBand over UDP, and no more than that" "eth:ethertype:ip:udp:infiniband" \
        "$(fields $capture frame.protocols | sed 's/:data$//' | sort -u)"
    # The InfiniBand dissector says some of it in the summary line only.
    same "$capture: nothing malformed or invalid" "" \
        "$(tshark -r $capture 2>tshark.err | grep -iE 'malformed|invalid|unknown' | head -n 3 || true)"
    same "$capture: no expert notes" "" \
        "$(tshark -r $capture -Y '_ws.malformed || _ws.expert' 2>tshark.err)"
    same "$capture: port 4791" "4791" "$(fields $capture udp.dstport | sort -u)"
    same "$capture: opcodes" "1 6
$((packets - 2)) 7
1 9
$acks 17" "$(fields $capture infiniband.bth.opcode | sort -n | uniq -c | sed 's/^ *//')"
    same "$capture: PSNs of the data are consecutive" "$(seq 0 $((packets - 1)))" \
        "$(fields $capture infiniband.bth.opcode infiniband.bth.psn | awk '$1 != 17 { print $2 }')"
    same "$capture: PSNs of the acknowledgements" "$(seq 31 32 $((packets - 1)))" \
        "$(fields $capture infiniband.bth.opcode infiniband.bth.psn | awk '$1 == 17 { print $2 }')"
    same "$capture: IPv4 checksums" "" \
        "$(tshark -r $capture -o ip.check_checksum:TRUE -Y 'ip.checksum.status != 1' 2>tshark.err)"
    same "$capture: data has DSCP 26 and, without congestion control, Not-ECT; acknowledgements DSCP 48" "$acks 48 0
$packets 26 0" \
        "$(fields $capture ip.dsfield.dscp ip.dsfield.ecn | sort -rn | uniq -c | awk '{ print $1, $2, $3 }')"
    same "$capture: the length of the message" "67108864" \
        "$(fields $capture infiniband.reth.dmalen | sed '/^$/d')"
    [[ -z $(fields $capture infiniband.invariant.crc | grep -E '^(0x0*)?$' || true) ]] ||
        fail "$capture: a packet without ICRC"
done
same "both ends saw the same packets" \
    "$(fields run-0-0.pcap infiniband.bth.opcode infiniband.bth.psn infiniband.invariant.crc | sort)" \
    "$(fields run-1-0.pcap infiniband.bth.opcode infiniband.bth.psn infiniband.invariant.crc | sort)"

# Selective repeat, as the defaults of attributes say: every packet is a Write
# of its own, and a NAK has the PSN that has arrived in place of the MSN.
"$examples/photonic-rails-first-circuit" --pcap=lossy \
    --ns3::RdmaQueuePair::LossRecovery=SelectiveRepeat \
    "--ns3::EthernetPortNetDevice::ReceiveErrorModel=ns3::RateErrorModel[ErrorUnit=ERROR_UNIT_PACKET|ErrorRate=0.001]"
capture=lossy-0-0.pcap
same "selective repeat: nothing malformed or invalid" "" \
    "$(tshark -r $capture 2>tshark.err | grep -iE 'malformed|invalid|unknown' | head -n 3 || true)"
same "selective repeat: no expert notes" "" \
    "$(tshark -r $capture -Y '_ws.malformed || _ws.expert' 2>tshark.err)"
same "selective repeat: opcodes" "10
11
17" "$(fields $capture infiniband.bth.opcode | sort -nu)"
same "selective repeat: every PSN is sent" "$(seq 0 $((packets - 1)))" \
    "$(fields $capture infiniband.bth.opcode infiniband.bth.psn | awk '$1 != 17 { print $2 }' | sort -nu)"
same "selective repeat: every packet has its length" "4096" \
    "$(fields $capture infiniband.reth.dmalen | sed '/^$/d' | sort -u)"
fields $capture infiniband.bth.opcode infiniband.bth.psn infiniband.aeth.syndrome infiniband.aeth.msn |
    awk '$1 != 17 && seen[$2]++ { ++repeats } $1 == 17 && $3 == 96 { ++naks; wrong += $4 <= $2 }
         END { print "ok: selective repeat:", repeats + 0, "repeats,", naks + 0, "NAKs"
               exit !(repeats > 0 && repeats < 100 && naks > repeats && !wrong) }' ||
    fail "selective repeat: few repeats, and NAKs that name a later packet"
