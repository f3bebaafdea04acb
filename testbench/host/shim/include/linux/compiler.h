// SPDX-License-Identifier: BSD-2-Clause
#include <linux/compiler_types.h>
