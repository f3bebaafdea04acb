# SPDX-License-Identifier: Apache-2.0
"""The names that scripts for Arm Development Studio import, with the registers of "pmufab serve" behind them."""

from pmufab_registers import DebugException, Debugger  # noqa: F401
