// SPDX-License-Identifier: BSD-2-Clause
/* The CXL bus. Kernels differ in declaring it constant or not, so this file does not see their declaration. */
#include <linux/device.h>

#include "bus.h"

struct bus_type cxl_bus_type = {
    .name = "cxl",
    .match = pmufab_cxl_match,
    .probe = pmufab_cxl_probe,
    .remove = pmufab_cxl_remove,
    .devices = LIST_HEAD_INIT(cxl_bus_type.devices),
    .drivers = LIST_HEAD_INIT(cxl_bus_type.drivers),
};
