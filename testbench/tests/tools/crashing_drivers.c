// SPDX-License-Identifier: BSD-2-Clause
/* A driver set that takes its process down as soon as it is loaded. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void crash(void) {
  fputs("last words\n", stderr);
  fflush(stderr);
  abort();
}
