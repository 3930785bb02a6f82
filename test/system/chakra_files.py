# SPDX-License-Identifier: GPL-2.0-only
"""Execution traces in Chakra's format, encoded and decoded by protoc: an account of them that shares
nothing with the module."""
import collections
import pathlib
import re
import subprocess

KINDS = {0: "AllReduce", 1: "Reduce", 2: "AllGather", 5: "Broadcast", 6: "AllToAll",
         7: "ReduceScatter"}
FOLDER = pathlib.Path(__file__).parent


def run_protoc(action, data):
    return subprocess.run(["protoc", f"--{action}=ChakraProtoMsg.Nodes", f"--proto_path={FOLDER}",
                           "chakra.proto"], input=data, check=True, capture_output=True).stdout


def to_varint(number):
    data = bytearray()
    while number >= 0x80:
        data.append(0x80 | number & 0x7F)
        number >>= 7
    data.append(number)
    return bytes(data)


def read_varint(data, place):
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, place


def split(data):
    """The messages of a sequence in which each is behind its length."""
    messages = []
    place = 0
    while place < len(data):
        size, place = read_varint(data, place)
        messages.append(data[place:place + size])
        place += size
    return messages


def write(path, nodes):
    """Write nodes that are texts in protobuf's text format."""
    whole = 'metadata { version: "0.0.4" }\n' + "".join(f"node {{ {node} }}\n" for node in nodes)
    data = run_protoc("encode", whole.encode())
    file = b""
    place = 0
    while place < len(data):  # fields 1 and 2 of Nodes
        size, begin = read_varint(data, place + 1)
        file += to_varint(size) + data[begin:begin + size]
        place = begin + size
    pathlib.Path(path).write_bytes(file)


def read(path):
    """The nodes of a file: dictionaries of id, type, duration_micros, deps of both kinds, data_deps and attributes."""
    messages = split(pathlib.Path(path).read_bytes())
    data = b"".join(bytes([0x0A if i == 0 else 0x12]) + to_varint(len(one)) + one
                    for i, one in enumerate(messages))
    nodes = []
    name = None
    for line in run_protoc("decode", data).decode().splitlines():
        key, _, value = line.strip().partition(": ")
        if line == "node {":
            nodes.append({"id": 0, "type": 0, "duration_micros": 0, "deps": [], "data_deps": []})
        elif not nodes:
            continue  # metadata
        elif line.startswith("    "):
            if key == "name":
                name = value.strip('"')
            elif key.endswith("_val"):
                nodes[-1][name] = value.strip('"') if key == "string_val" else \
                    int(value) if re.fullmatch("[0-9]+", value) else value == "true"
        elif key in ("data_deps", "ctrl_deps"):
            nodes[-1]["deps"].append(int(value))
            if key == "data_deps":
                nodes[-1]["data_deps"].append(int(value))
        elif key in ("id", "type", "duration_micros"):
            nodes[-1][key] = int(value)
    return nodes


def count_bytes(nodes):
    """Calls and input bytes of a rank, by kind."""
    volumes = collections.defaultdict(lambda: [0, 0])
    for node in nodes:
        kind = {5: "Send", 6: "Recv"}.get(node["type"])
        if node["type"] == 7 and "comm_type" in node:
            kind = KINDS[node["comm_type"]]
        if kind:
            volumes[kind][0] += 1
            volumes[kind][1] += node.get("comm_size", 0)
    return {kind: tuple(both) for kind, both in volumes.items()}
