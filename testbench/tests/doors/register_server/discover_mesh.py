#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Find out from registers alone what stands in a CMN mesh, and print it as JSON.

Usage: discover_mesh.py BASE

Written as for Arm Development Studio. The registers are those of Arm's CMN TRMs, which agree in them: por_cfgm_node_info
and its likes at 0x0, por_cfgm_periph_id at 0x8, child_info at 0x80, por_mxp_device_port_connect_info from 0x8 on.
"""

import json
import sys

from arm_ds.debugger_v1 import DebugException, Debugger

CFG, XP = 0x2, 0x6
WINDOW = 0x4000  # the smallest of all parts
PORTS = 6


def field(value, lsb, width):
    return value >> lsb & ((1 << width) - 1)


class Mesh:
    def __init__(self, debugger, base):
        self.debugger, self.base = debugger, base
        self.root = self.find_root()
        identity = self.read(self.root + 0x8)
        self.part = field(identity, 0, 8) | field(identity, 32, 4) << 8

    def read(self, offset, size=64):
        return self.debugger.readMemoryValue("AXI:%#x" % (self.base + offset), size=size)

    def find_root(self):
        """CMN-600 has its configuration node anywhere (firmware tells); others have it first."""
        for offset in range(0, 0x800 * WINDOW, WINDOW):
            try:
                if field(self.read(offset), 0, 16) == CFG:
                    return offset
            except DebugException:
                pass  # no node, or one that software must not touch
        raise SystemExit("no configuration node")

    def children(self, offset):
        info = self.read(offset + 0x80)
        for number in range(field(info, 0, 16)):
            pointer = self.read(offset + field(info, 16, 16) + 8 * number)
            if not field(pointer, 31, 1):  # external
                yield field(pointer, 0, 30)

    def ports(self, offset):
        """Type of the devices at each port, and whether a CAL connects them; None where nothing is."""
        found = []
        for port in range(2 if self.part in (0x434, 0x436) else PORTS):
            gap = 0x10 if self.part == 0x43a and port >= 2 else 0
            info = self.read(offset + 0x8 + 8 * port + gap, 32)
            found.append({"type": field(info, 0, 6), "cal": bool(field(info, 7, 1))} if info else None)
        return found


def coordinates(crosspoints):
    """Place crosspoints by their ids, whose width of x and y depends on the mesh. Return columns and rows."""
    for bits in (2, 3, 4):
        for one in crosspoints:
            one["x"], one["y"] = field(one["id"], 3 + bits, bits), field(one["id"], 3, bits)
        columns = max(one["x"] for one in crosspoints) + 1
        rows = max(one["y"] for one in crosspoints) + 1
        if columns * rows == len(crosspoints) and all(
                one["logical"] == one["y"] * columns + one["x"] for one in crosspoints):
            return columns, rows
    raise SystemExit("the ids of the crosspoints make no mesh")


def discover(mesh):
    crosspoints = []
    for offset in mesh.children(mesh.root):
        info = mesh.read(offset)
        if field(info, 0, 16) != XP:
            raise SystemExit("a child of the root is no crosspoint")
        ports = mesh.ports(offset)
        wide = sum(port is not None for port in ports) > 2
        nodes = []
        for child in mesh.children(offset):
            node = mesh.read(child)
            identifier = field(node, 16, 16)
            nodes.append({"type": field(node, 0, 16), "id": identifier, "logical": field(node, 32, 16),
                          "port": field(identifier, 1, 2) if wide else field(identifier, 2, 1),
                          "device": field(identifier, 0, 1) if wide else field(identifier, 0, 2)})
        crosspoints.append({"id": field(info, 16, 16), "logical": field(info, 32, 16), "ports": ports, "nodes": nodes})
    columns, rows = coordinates(crosspoints)
    return {"part": mesh.part, "root": mesh.root, "columns": columns, "rows": rows, "crosspoints": crosspoints}


print(json.dumps(discover(Mesh(Debugger(), int(sys.argv[1], 0)))))
