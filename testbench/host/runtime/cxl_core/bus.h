// SPDX-License-Identifier: BSD-2-Clause
#pragma once

struct device;
struct device_driver;

/* core.c: matches drivers and devices on the CXL bus. */
int pmufab_cxl_match(struct device* dev, const struct device_driver* driver);
int pmufab_cxl_probe(struct device* dev);
void pmufab_cxl_remove(struct device* dev);
