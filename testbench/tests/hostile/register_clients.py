#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets two clients at once send the register server of pmufab serve what no debugger sends, and kills them.

The server has a Unix socket, then a port of this machine. One round is two clients, which the server serves at the same
time. They send packets, damaged packets and any bytes, in pieces, and read replies or do not. They end by closing,
by shutting down one direction, by a reset, or killed at a random moment.

What is checked:
  - after the clients of a round have gone, a client with good manners is served: it reads what it has written, and
    simulated time has not gone back
  - the server has no more file descriptors than before, and its memory is bounded
  - the server ends by SIGTERM with exit code 0, and leaves nothing
"""

import contextlib
import os
import random
import re
import signal
import socket
import struct
import sys
import time

import hostile

sys.path.insert(0, str(hostile.REPOSITORY / "tools" / "python"))
from pmufab_registers import DebugException, Debugger  # noqa: E402  pylint: disable=wrong-import-position

PLATFORM = hostile.SCENARIOS / "platforms" / "tegra410-2s-small.yaml"
PMEVTYPER = 0x10000400  # of counter 0 of the UCF PMU
PATIENCE = 60  # seconds until a client must be served
LEAST_ROUNDS = 5  # with each server, however slow it is
UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def framed(content):
    """A packet of the GDB remote serial protocol."""
    return b"$" + content + b"#%02x" % (sum(content) & 0xFF)


def command(text):
    """A packet of gdb's monitor."""
    return framed(b"qRcmd," + text.encode().hex().encode())


def packet(rng):
    """One packet that makes sense, or nearly."""
    address = rng.choice([PMEVTYPER, 0x10000C00, 0x10000E04, 0x3000, 0, rng.getrandbits(32), rng.getrandbits(64)])
    length = rng.choice([0, 1, 2, 4, 8, 8, rng.randrange(0x900), rng.getrandbits(64)])
    data = rng.randbytes(rng.choice([0, 1, 4, 8, 40]))
    return rng.choice([
        lambda: framed(b"m%x,%x" % (address, length)),
        lambda: framed(b"M%x,%x:" % (address, len(data)) + data.hex().encode()),
        lambda: framed(b"X%x,%x:" % (address, len(data)) + data),
        lambda: command(rng.choice(["time", "regs", "regs socket0.ucf_pmu", "regs *", "help", "run", "run 1us",
                                    "run 1h", "reset", "run -1", "regs " + "x" * 3000])),
        lambda: framed(rng.choice([b"?", b"g", b"Hg0", b"qC", b"c", b"s", b"D", b"k", b"vKill;1", b"qSupported",
                                   b"QStartNoAckMode", b"qXfer:features:read:target.xml:0,fff", b"vMustReplyEmpty"])),
        lambda: b"$" + rng.randbytes(rng.choice([3, 100, 5000])),
        lambda: rng.choice([b"+", b"-", b"\x03", b"GET / HTTP/1.1\r\n\r\n"]),
    ])()


def damaged(rng, data):
    """The data with a few bytes changed, doubled or missing."""
    data = bytearray(data)
    for _ in range(rng.randrange(4)):
        if not data:
            break
        place = rng.randrange(len(data))
        rng.choice([lambda: data.__setitem__(place, rng.randrange(256)), lambda: data.__delitem__(place),
                    lambda: data.insert(place, data[place])])()
    return bytes(data)


def connected(address):
    """A connection to the server."""
    if isinstance(address, str):
        client = socket.socket(socket.AF_UNIX)
    else:
        client = socket.socket(socket.AF_INET)
    client.settimeout(2)
    client.connect(address)
    return client


def misbehave(rng, address):
    """What a client does. It may be killed at any moment."""
    with contextlib.suppress(OSError), connected(address) as client:
        if rng.random() < 0.8:  # the server goes on with who begins well
            client.sendall(framed(b"qSupported"))
        for _ in range(rng.randrange(1, 40)):
            data = packet(rng)
            if rng.random() < 0.3:
                data = damaged(rng, data)
            while data:
                size = rng.choice([len(data), rng.randrange(1, len(data) + 1)])
                client.sendall(data[:size])
                data = data[size:]
            if rng.random() < 0.4:
                client.settimeout(0.02)
                with contextlib.suppress(socket.timeout):
                    client.recv(65536)
                client.settimeout(2)
        end = rng.randrange(4)
        if end == 0:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close() resets
        elif end == 1:
            client.shutdown(socket.SHUT_WR)
            client.recv(65536)
        elif end == 2:
            time.sleep(1)  # until it is killed


class RegisterClients(hostile.Part):
    """Servers, and rounds of two clients each."""

    def __init__(self):
        super().__init__("clients")
        self.served = 0

    def start_server(self, at_port):
        """Start a server, and wait until it serves. Return its process, and where it listens."""
        where = ["--listen", "127.0.0.1:0"] if at_port else ["--socket", self.folder / "registers"]
        server = self.start(["serve", PLATFORM, "--traffic", hostile.SCENARIOS / "traffic" / "fixed.yaml", *where],
                            "serve")
        end = time.monotonic() + PATIENCE
        printed = self.folder / "serve.out"
        while "\n" not in printed.read_text() and time.monotonic() < end:
            time.sleep(0.02)
        found = re.search(r" at (\S+)\n", printed.read_text())
        if not found:
            self.stop(f"no server: {(self.folder / 'serve.err').read_text()}")
        address = found[1]
        return server, ("127.0.0.1", int(address.rpartition(":")[2])) if at_port else address

    def descriptors(self):
        """How many file descriptors the processes of the server have."""
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in self.processes())

    def memory(self):
        """Bytes of memory that the server's largest process has now."""
        page = os.sysconf("SC_PAGE_SIZE")
        return max((int(open(f"/proc/{pid}/statm", encoding="ascii").read().split()[1]) * page
                    for pid in self.processes()), default=0)

    def misbehave_together(self, address):
        """Two clients at once, some of which are killed."""
        clients = []
        for _ in range(2):
            rng = random.Random(self.random.getrandbits(64))
            pid = os.fork()
            if pid == 0:
                try:
                    misbehave(rng, address)
                finally:
                    os._exit(0)
            clients.append(pid)
        self.count += 2
        time.sleep(self.random.choice([0, 0.002, 0.02, 0.1]))
        for pid in clients:
            if self.random.random() < 0.5:
                os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 3
        for pid in clients:
            while not os.waitpid(pid, os.WNOHANG)[0]:
                if time.monotonic() > end:
                    os.kill(pid, signal.SIGKILL)
                time.sleep(0.001)

    def ask(self, address, before):
        """Be a client with good manners. Return simulated time, or in words what is wrong."""
        name = address if isinstance(address, str) else "%s:%d" % address
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with Debugger(name) as debugger:
                    value = self.random.choice([0x111, 0x113, 0x5])
                    debugger.writeMemoryValue(PMEVTYPER, value)
                    got = debugger.readMemoryValue(PMEVTYPER)
                    number, unit = debugger.time().split()
                break
            except DebugException as error:
                if time.monotonic() > end:
                    return None, f"a client is not served: {error}"
                time.sleep(0.005)
        self.served += 1
        now = float(number.replace(",", "")) * UNITS[unit]
        if got != value:
            return None, f"{got:#x} is read where {value:#x} was written"
        if now < before:
            return None, f"simulated time has gone back from {before:.0f} ps to {now:.0f} ps"
        return now, ""

    def play(self, seconds, at_port):
        """One server and its clients."""
        what = "port" if at_port else "socket"
        server, address = self.start_server(at_port)
        now, why = self.ask(address, 0)
        descriptors, memory = self.descriptors(), self.memory()
        end = time.monotonic() + seconds
        rounds = 0
        while not why and (rounds < LEAST_ROUNDS or time.monotonic() < end):
            self.misbehave_together(address)
            now, why = self.ask(address, now)
            rounds += 1
        time.sleep(0.1)  # the last client is still known to it
        if not why and self.descriptors() > descriptors + 1:
            why = f"it had {descriptors} file descriptors, and has {self.descriptors()}"
        if not why and self.memory() > memory + hostile.PEAK // 8:
            why = f"its memory has grown from {memory} to {self.memory()} bytes"
        os.kill(server.pid, signal.SIGTERM)
        outcome = self.finish(server, patience=time.monotonic() - server.began + PATIENCE)
        if outcome.code != 0:
            why += f"; {outcome.text()}"
        if left := self.left_behind():
            why += f"; it leaves {left}"
        if why or hostile.control_characters(outcome):
            self.bad(what, why or hostile.control_characters(outcome), [self.folder / "serve.err"])


def main():
    part = RegisterClients()
    seconds = 4 if part.options.sample else part.options.seconds
    for at_port in (False, True):
        part.play(seconds / 2, at_port)
    print(f"{part.name}: {part.served} clients with good manners were served in between")
    return part.end()


if __name__ == "__main__":
    sys.exit(main())
