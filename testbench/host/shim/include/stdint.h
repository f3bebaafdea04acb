// SPDX-License-Identifier: BSD-2-Clause
/* abi.h includes this header; in a driver module its types are the kernel's. */
#include <linux/types.h>
