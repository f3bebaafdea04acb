# SPDX-License-Identifier: Apache-2.0
"""Whether a result file has its end, and a driver to build."""

import json
import shutil
import xml.etree.ElementTree


def is_whole(path):
    """True if a result file has everything up to its end. Of a folder: if all its files have."""
    if path.is_dir():
        return all(is_whole(each) for each in path.iterdir())
    content = path.read_bytes()
    try:
        if path.suffix == ".json":
            json.loads(content)
        if path.suffix == ".xml":
            xml.etree.ElementTree.fromstring(content)
    except (ValueError, xml.etree.ElementTree.ParseError):
        return False
    if path.suffix == ".so":
        return content.startswith(b"\x7fELF")
    if path.suffix == ".svg":
        return content.rstrip().endswith(b"</svg>")
    if content.startswith((b"time,", b"kind,")):
        return content.endswith(b"\nend\n")
    return path.name == "kernel.log" or content.endswith(b"\n")


def version_key(text):
    """What orders kernel versions."""
    return [int(word) for word in text.split(".")]


def copy_driver(part):
    """Put the newest nvidia_cspmu.c into the part's folder, if there are kernel sources."""
    found = list(part.options.sources.glob("*/drivers/perf/arm_cspmu/nvidia_cspmu.c"))
    if found:
        shutil.copy(max(found, key=lambda path: version_key(path.parents[3].name)), part.folder)
