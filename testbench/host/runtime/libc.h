// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <stddef.h>

/* What the runtime uses of the C library. Separate, because units that see the shim headers must not see libc's. */
void* pmufab_libc_alloc(size_t size);      /* null when there is no memory or size is absurd */
void* pmufab_libc_alloc_page(size_t size); /* aligned to a page */
void* pmufab_libc_realloc(void* old, size_t size);
void pmufab_libc_free(void* object);
int pmufab_libc_is_there(size_t size); /* could so much memory be had at once? */
/* Address space without memory behind it: any dereference faults. */
void* pmufab_libc_reserve(size_t size);
void pmufab_libc_unreserve(void* start, size_t size);
