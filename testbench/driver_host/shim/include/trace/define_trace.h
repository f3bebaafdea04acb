// SPDX-License-Identifier: BSD-2-Clause
/* Where the kernel makes the code of trace events. */
