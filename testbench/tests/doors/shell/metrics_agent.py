#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Count on all PMUs of a machine for a while, as agents that watch servers do, and print counts and metrics as JSON.

Usage: metrics_agent.py [--intervals N] [--interval SECONDS] [--group EVENTS] [--skip GLOB]... [PMU/EVENT...]

PMU/EVENT are patterns, such as 'nvidia_ucf_pmu_*/*bytes*' (all events that need no further value). The agent knows
PMUs only by /sys/bus/event_source, and counts by the system call: groups on the CPUs of cpumask, read at once at the end
of each interval. metrics: what a group's events are together, such as bandwidths and latencies.
"""

import argparse
import ctypes
import fcntl
import fnmatch
import json
import os
import re
import struct
import sys
import time

DEVICES = "/sys/bus/event_source/devices"
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
TOTAL_TIME_ENABLED, TOTAL_TIME_RUNNING, GROUP = 1, 2, 8
IOC_ENABLE, IOC_DISABLE, IOC_FLAG_GROUP = 0x2400, 0x2401, 1
ATTR_SIZE = 136  # PERF_ATTR_SIZE_VER8
DISABLED = 1
libc = ctypes.CDLL(None)

# Bytes that an event of this name stands for.
BYTES = [(r".*_bytes(_.*)?|bytes_.*", 1), (r"hnf_mc_reqs|hns_mc_reqs_local_all", 64), (r"s2m_drs_memdata", 64),
         (r"m2s_rwd_memwr", 64)]
# The number of requests under way, added up in each cycle; the requests; the clock.
LATENCIES = [(r"(.*)cum_outs", r"\1req", "cycles")]
RATIOS = [(r"(hn[fs])_cache_miss", r"\1_slc_sf_cache_access")]


def text(*path):
    with open(os.path.join(DEVICES, *path), encoding="ascii") as file:
        return file.read().strip()


def numbers(ranges):
    """0-2,8 is 0, 1, 2, 8."""
    for one in filter(None, ranges.split(",")):
        first, _, last = one.partition("-")
        yield from range(int(first), int(last or first) + 1)


class Pmu:
    def __init__(self, name):
        self.name = name
        self.type = int(text(name, "type"))
        self.cpus = list(numbers(text(name, "cpumask")))
        self.format = {field: text(name, "format", field) for field in self.listed("format")}
        self.events = {event: text(name, "events", event) for event in self.listed("events") if "." not in event}

    def listed(self, folder):
        path = os.path.join(DEVICES, self.name, folder)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    def attribute(self, event, flags):
        """struct perf_event_attr of "event=0x10,filter=1"."""
        config = {"config": 0, "config1": 0, "config2": 0, "config3": 0}
        for term in self.events[event].split(","):
            field, _, value = term.partition("=")
            value = int(value or "1", 0)
            if field in config:
                config[field] |= value
                continue
            word, _, bits = self.format[field].partition(":")
            for bit in numbers(bits):
                config[word] |= (value & 1) << bit
                value >>= 1
            if value:
                raise ValueError("%s/%s/: the value of %s is too large" % (self.name, event, field))
        attribute = struct.pack("=IIQQQQQIIQQ", self.type, ATTR_SIZE, config["config"], 0, 0,
                                TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING | GROUP, flags, 0, 0, config["config1"],
                                config["config2"])
        return attribute.ljust(128, b"\0") + struct.pack("=Q", config["config3"])


class Group:
    """Events of a PMU that count at the same time."""

    def __init__(self, pmu, cpu):
        self.pmu, self.cpu, self.events, self.descriptors = pmu, cpu, [], []
        self.values, self.enabled, self.running, self.intervals = [], 0, 0, []

    def add(self, event):
        # Members wait for their leader, which begins disabled.
        leader = self.descriptors[0] if self.events else -1
        attribute = ctypes.create_string_buffer(self.pmu.attribute(event, 0 if self.events else DISABLED), ATTR_SIZE)
        descriptor = libc.syscall(ctypes.c_long(PERF_EVENT_OPEN), attribute, ctypes.c_int(-1), ctypes.c_int(self.cpu),
                                  ctypes.c_int(leader), ctypes.c_ulong(0))
        if descriptor < 0:
            return False
        self.descriptors.append(descriptor)
        self.events.append(event)
        return True

    def control(self, request):
        fcntl.ioctl(self.descriptors[0], request, IOC_FLAG_GROUP)

    def close(self):
        for descriptor in self.descriptors:
            os.close(descriptor)

    def read(self):
        words = 3 + len(self.events)
        data = os.read(self.descriptors[0], 8 * words)
        if len(data) != 8 * words:
            raise SystemExit("%s: a reading of %d bytes, not %d" % (self.pmu.name, len(data), 8 * words))
        count, enabled, running, *values = struct.unpack("=%dQ" % words, data)
        if count != len(self.events):
            raise SystemExit("%s: a reading of %d events, not %d" % (self.pmu.name, count, len(self.events)))
        before = self.values or [0] * count
        self.intervals.append({"running": running - self.running,
                               "values": [new - old for new, old in zip(values, before)]})
        self.values, self.enabled, self.running = values, enabled, running

    def metrics(self, values, running):
        """From one reading. Events that have counted for no time have no metrics."""
        of = dict(zip(self.events, values))
        for event in self.events if running else []:
            for pattern, size in BYTES:
                if re.fullmatch(pattern, event):
                    yield event, "bytes/s", of[event] * size * 1e9 / running
            for pattern, requests, clock in LATENCIES:
                requests = counterpart(pattern, requests, event)
                if of.get(requests) and of.get(clock):
                    yield event, "ns", of[event] / of[requests] / (of[clock] / running)  # the clock in GHz
            for pattern, whole in RATIOS:
                if of.get(counterpart(pattern, whole, event)):
                    yield event, "ratio", of[event] / of[counterpart(pattern, whole, event)]


def counterpart(pattern, other, event):
    match = re.fullmatch(pattern, event)
    return match and match.expand(other)


def in_order(events):
    """What a metric needs stands together, so that one group has all of it."""
    together = []
    for event in events:
        for pattern, *others in LATENCIES + RATIOS:
            needed = [counterpart(pattern, other, event) for other in others]
            if all(other in events for other in needed):
                together.append([event] + needed)
    used = {event for needed in together for event in needed}
    return together + [[event] for event in events if event not in used]


def groups_of(pmu, cpu, events, largest, refused):
    """The PMU may take fewer events into a group than we would."""
    groups = [Group(pmu, cpu)]
    for wanted in in_order(events):
        if len(groups[-1].events) + len(wanted) > largest:
            groups.append(Group(pmu, cpu))
        for event in wanted:
            if event in groups[-1].events or groups[-1].add(event):
                continue
            groups.append(Group(pmu, cpu))
            if not groups[-1].add(event):
                refused.append("%s/%s/" % (pmu.name, event))
    return [group for group in groups if group.events]


def chosen(pmu, options):
    for event, definition in pmu.events.items():
        name = "%s/%s" % (pmu.name, event)
        if "?" not in definition and any(fnmatch.fnmatch(name, one) for one in options.events) \
                and not any(fnmatch.fnmatch(name, one) for one in options.skip):
            yield event


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--intervals", type=int, default=3)
    parser.add_argument("--interval", type=float, default=0.1)
    parser.add_argument("--group", type=int, default=4)
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("events", nargs="*", default=["*"])
    return parser.parse_args()


def main():
    options = parse()
    groups, refused = [], []
    for name in sorted(os.listdir(DEVICES)):
        if not os.path.exists(os.path.join(DEVICES, name, "cpumask")):
            continue
        pmu = Pmu(name)
        for cpu in pmu.cpus:
            groups += groups_of(pmu, cpu, list(chosen(pmu, options)), options.group, refused)
    for group in groups:
        group.control(IOC_ENABLE)
    for _ in range(options.intervals):
        time.sleep(options.interval)
        for group in groups:
            group.read()
    for group in groups:
        group.control(IOC_DISABLE)
        group.read()  # what came since the last interval
        group.close()
    report = {"groups": [], "refused": refused}
    for group in groups:
        report["groups"].append({
            "pmu": group.pmu.name, "cpu": group.cpu, "events": group.events, "values": group.values,
            "enabled": group.enabled, "running": group.running,
            "intervals": [dict(one, metrics=list(group.metrics(one["values"], one["running"])))
                          for one in group.intervals],
            "metrics": list(group.metrics(group.values, group.running))})
    json.dump(report, sys.stdout, indent=1)


main()
