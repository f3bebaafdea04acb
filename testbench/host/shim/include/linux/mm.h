// SPDX-License-Identifier: BSD-2-Clause
#include <linux/page.h>
#include <linux/slab.h>
