// SPDX-License-Identifier: BSD-2-Clause
#include <linux/of.h>
