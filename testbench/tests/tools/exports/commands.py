# SPDX-License-Identifier: Apache-2.0
"""What tests of exports and imports share."""

import subprocess
import sys


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def output_of(*command):
    done = run(*command)
    check(done.returncode == 0, f"{command} ends with {done.returncode}:\n{done.stderr}")
    return done.stdout
