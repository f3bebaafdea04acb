# SPDX-License-Identifier: Apache-2.0
"""Stands for the package of this name in Arm Development Studio, for scripts that read and write registers alone."""
