// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/device.h>
#include <linux/errno.h>

/* Firmware describes no clocks, so every clock exists, always ticks, and has the rate of the device's property
 * "clock-frequency" (0 without it). What is checked is its use: see runtime/clk.c. */
struct clk;
struct clk_bulk_data {
  const char* id;
  struct clk* clk;
};
/* A null pointer is a clock that there is not: every function takes it. */
struct clk* devm_clk_get(struct device* dev, const char* id);
struct clk* devm_clk_get_enabled(struct device* dev, const char* id);
#define devm_clk_get_optional(dev, id) devm_clk_get((dev), (id))
#define devm_clk_get_optional_enabled(dev, id) devm_clk_get_enabled((dev), (id))
int devm_clk_bulk_get(struct device* dev, int count, struct clk_bulk_data* clocks);
/* How many the device has is not known: one. */
int devm_clk_bulk_get_all_enabled(struct device* dev, struct clk_bulk_data** clocks);
int clk_prepare(struct clk* clock);
void clk_unprepare(struct clk* clock);
int clk_enable(struct clk* clock);
void clk_disable(struct clk* clock);
int clk_bulk_prepare_enable(int count, const struct clk_bulk_data* clocks);
void clk_bulk_disable_unprepare(int count, const struct clk_bulk_data* clocks);
unsigned long clk_get_rate(struct clk* clock);
static inline int clk_prepare_enable(struct clk* clock) {
  const int error = clk_prepare(clock);
  return error ? error : clk_enable(clock);
}
static inline void clk_disable_unprepare(struct clk* clock) {
  clk_disable(clock);
  clk_unprepare(clock);
}
