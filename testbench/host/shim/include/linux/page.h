// SPDX-License-Identifier: BSD-2-Clause
#include <asm/page.h>
