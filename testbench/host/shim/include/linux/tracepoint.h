// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_TRACEPOINT_H
#define PMUFAB_LINUX_TRACEPOINT_H
#include <linux/types.h>
/* Tracing does not exist: an event is a call of an empty function. */
#define TP_PROTO(parameters...) parameters
#define TP_ARGS(arguments...)
#define TP_STRUCT__entry(fields...)
#define TP_fast_assign(statements...)
#define TP_printk(format...)
#define TRACE_EVENT(name, parameters, arguments, fields, assign, print) \
  static inline void trace_##name(parameters) {}                        \
  static inline bool trace_##name##_enabled(void) { return false; }
#endif
