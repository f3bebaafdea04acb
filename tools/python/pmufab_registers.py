# SPDX-License-Identifier: Apache-2.0
"""Read and write the registers of a platform that "pmufab serve" serves.

    import pmufab_registers
    target = pmufab_registers.Debugger()                  # where PMUFAB_REGISTERS says, or Debugger("/tmp/my-socket")
    target.readMemoryValue(0x50000000, size=64)
    target.writeMemoryValue("AXI:0x10000c04", 1, size=32)
    target.run("10us")

The calls readMemoryValue() and writeMemoryValue() are those of the debugger of Arm Development Studio, so scripts for
silicon find them here. Python 3.7 and nothing else is needed.
"""

import os
import socket

__all__ = ["Debugger", "DebugException"]


class DebugException(Exception):
    """The platform refuses an access, a command fails, or the server is gone."""


class Debugger:
    """A connection to the server, which serves several at a time. Use it with "with", or close() it."""

    def __init__(self, address=None):
        """address: path of a Unix socket, or "127.0.0.1:PORT"; otherwise that in the variable PMUFAB_REGISTERS."""
        address = address or os.environ.get("PMUFAB_REGISTERS")
        if not address:
            raise DebugException("no address is given, and PMUFAB_REGISTERS is not set")
        self._waiting = b""
        try:
            if "/" in address:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self._socket.connect(address)
            else:
                host, _, port = address.rpartition(":")
                self._socket = socket.create_connection((host, int(port)))
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError) as error:
            raise DebugException("%s: %s" % (address, error)) from error
        self._acknowledges = True
        supported = self._ask("qSupported")
        if supported.startswith(b"E."):
            self._socket.close()
            raise DebugException("%s: the client is refused: %s" % (address, supported[2:].decode(errors="replace")))
        if self._ask("QStartNoAckMode") != b"OK":
            raise DebugException("%s does not serve registers" % address)
        self._acknowledges = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the connection. The platform stays as it is."""
        self._socket.close()

    def readMemoryValue(self, address, size=32, memParams=None):
        """Return what a read of `size` bits (8, 16, 32 or 64) gives: one access of the bus.

        address: a number, or text with or without an address space: "AXI:0x50000000". There is one space.
        memParams: ignored. There is one world.
        """
        place, length = _place(address), _length(size)
        reply = self._ask("m%x,%x" % (place, length))
        if reply.startswith(b"E") or len(reply) != 2 * length:
            raise DebugException("a read of %d bits at %#x is refused (%s)" % (size, place, reply.decode()))
        return int.from_bytes(bytes.fromhex(reply.decode()), "little")

    def writeMemoryValue(self, address, value, size=32, memParams=None):
        """Write `size` bits: one access of the bus. The arguments are those of readMemoryValue()."""
        place, length = _place(address), _length(size)
        data = (int(value) & ((1 << size) - 1)).to_bytes(length, "little").hex()
        reply = self._ask("M%x,%x:%s" % (place, length, data))
        if reply != b"OK":
            raise DebugException("a write of %d bits at %#x is refused (%s)" % (size, place, reply.decode()))

    def run(self, time):
        """Let simulated time pass: run("10us")."""
        self.monitor("run %s" % time)

    def time(self):
        """Return simulated time as text: "1050 ns"."""
        return self.monitor("time").strip()

    def reset(self):
        """Reset all registers, counters and interrupts, as a warm reset does."""
        self.monitor("reset")

    def monitor(self, command):
        """Carry out a command of the server ("help" lists them). Return what it prints."""
        printed = []
        reply = self._ask("qRcmd," + command.encode().hex(), printed)
        text = b"".join(printed).decode(errors="replace")
        if reply != b"OK":
            raise DebugException(text.strip() or "%s fails (%s)" % (command, reply.decode()))
        return text

    def _ask(self, content, printed=None):
        data = content.encode()
        try:
            try:
                self._send(b"$%s#%02x" % (data, sum(data) & 0xFF))
            except DebugException:
                if not self._acknowledges or not self._take():  # a refused client was told why
                    raise
            while True:
                reply = self._receive()
                if printed is None or not reply.startswith(b"O") or reply == b"OK":
                    return reply
                printed.append(bytes.fromhex(reply[1:].decode()))
        except BaseException:  # the reply would be taken for that of the next request
            self._socket.close()
            raise

    def _send(self, data):
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise DebugException("the server is gone: %s" % error) from error

    def _receive(self):
        """Return what is in the next packet. No reply to these requests has escapes."""
        while True:
            begin = self._waiting.find(b"$")
            end = self._waiting.find(b"#", begin)
            if 0 <= begin < end and len(self._waiting) >= end + 3:
                content, self._waiting = self._waiting[begin + 1:end], self._waiting[end + 3:]
                if self._acknowledges and not content.startswith(b"E."):
                    self._send(b"+")
                return content
            if not self._take():
                raise DebugException("the server has closed the connection: it serves clients of its user alone")

    def _take(self):
        """Take what has come, or wait for it. Return false at its end."""
        try:
            more = self._socket.recv(65536)
        except OSError as error:
            raise DebugException("the server is gone: %s" % error) from error
        self._waiting += more
        return bool(more)


def _place(address):
    if isinstance(address, int):
        return address
    try:
        return int(str(address).rpartition(":")[2], 0)
    except ValueError:
        raise DebugException("%r is no address" % address) from None


def _length(size):
    if size not in (8, 16, 32, 64):
        raise DebugException("%r is no size: 8, 16, 32 or 64 bits" % size)
    return size // 8
