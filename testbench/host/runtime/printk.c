// SPDX-License-Identifier: BSD-2-Clause
/* The kernel log, warnings and panic. */
#include <linux/printk.h>

#include "runtime.h"

enum { kDefaultLevel = 4, kLineSize = 1024 };

static char pending[kLineSize]; /* text without its newline yet */
static int pending_length;
static int pending_level = kDefaultLevel;

static void flush(void) {
  if (pending_length > 0) pmufab_host->log(pmufab_host->context, pending_level, pending, (size_t)pending_length);
  pending_length = 0;
  pending_level = kDefaultLevel;
}

static void log_text(const char* text) {
  if (text[0] == KERN_SOH[0]) {
    if (text[1] != 'c') {
      flush();
      if (text[1] >= '0' && text[1] <= '7') pending_level = text[1] - '0';
    }
    text += 2;
  } else {
    flush();
  }
  for (; *text; text++) {
    if (*text == '\n') {
      const int level = pending_level;
      flush();
      pending_level = level;
    } else if (pending_length < kLineSize) {
      pending[pending_length++] = *text;
    }
  }
}

int pmufab_vprintk(const char* format, va_list arguments) {
  char text[kLineSize];
  const int length = pmufab_vsnprintf(text, sizeof(text), format, arguments);
  log_text(text);
  return length;
}

int pmufab_printk(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = pmufab_vprintk(format, arguments);
  va_end(arguments);
  return length;
}

static void dev_vprintk(const char* level, const struct device* dev, const char* format, va_list* arguments) {
  const struct va_format text = {.fmt = format, .va = arguments};
  if (dev)
    printk("%s%s %s: %pV", level, dev_driver_string(dev), dev_name(dev), &text);
  else
    printk("%s(NULL device *): %pV", level, &text);
}

void pmufab_dev_printk(const char* level, const struct device* dev, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  dev_vprintk(level, dev, format, &arguments);
  va_end(arguments);
}

int dev_err_probe(const struct device* dev, int error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const struct va_format text = {.fmt = format, .va = &arguments};
  pmufab_dev_printk(error == -EPROBE_DEFER ? KERN_DEBUG : KERN_ERR, dev, "error %d: %pV", error, &text);
  va_end(arguments);
  return error;
}

void pmufab_rule(const void* place, const char* format, ...) {
  char text[kLineSize];
  PRINT(text, sizeof(text), format);
  flush();
  pmufab_host->rule_broken(pmufab_host->context, text, place);
}

bool pmufab_is_driver(const void* place) { return pmufab_host->function_at(pmufab_host->context, place)[0] != 0; }

void pmufab_warn(const char* file, int line, const char* function, const char* format, ...) {
  const char* name = strrchr(file, '/');
  printk(KERN_WARNING "WARNING: CPU: %u at %s:%d %s()\n", smp_processor_id(), name ? name + 1 : file, line, function);
  char text[kLineSize];
  PRINT(text, sizeof(text), format);
  printk(KERN_WARNING "%s", text);
  flush();
  pmufab_host->warned(pmufab_host->context, strim(text));
}

void pmufab_panic(const char* format, ...) {
  char text[kLineSize];
  PRINT(text, sizeof(text), format);
  printk(KERN_EMERG "Kernel panic - not syncing: %s\n", text);
  pmufab_host->fatal(pmufab_host->context, text);
  unreachable();
}
