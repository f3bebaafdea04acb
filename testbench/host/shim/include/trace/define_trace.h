// SPDX-License-Identifier: BSD-2-Clause
/* In the kernel, this header makes the code of trace events. */
