// SPDX-License-Identifier: BSD-2-Clause
#pragma once

/* tools/build-drivers defines LINUX_VERSION_CODE: the kernel of this set's drivers. Our headers and runtime are the
 * same for all kernels; where an interface changed, they test this macro. */
#ifndef LINUX_VERSION_CODE
#error "LINUX_VERSION_CODE tells which kernel the drivers are from"
#endif
#define KERNEL_VERSION(major, minor, point) (((major) << 16) + ((minor) << 8) + ((point) > 255 ? 255 : (point)))
