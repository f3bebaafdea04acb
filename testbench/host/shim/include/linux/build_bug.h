// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_BUILD_BUG_H
#define PMUFAB_LINUX_BUILD_BUG_H

#define static_assert(condition, ...) _Static_assert(condition, "static_assert(" #condition ")")
/* The condition may depend on optimisation, so a failure is a call to a function that does not link. */
#define __BUILD_BUG_NAMED(condition, name)                                          \
  do {                                                                              \
    extern void name(void) __attribute__((__error__("BUILD_BUG_ON: " #condition))); \
    if (condition) name();                                                          \
  } while (0)
#define BUILD_BUG_ON_MSG(condition, message) __BUILD_BUG_NAMED(condition, __PASTE(__build_bug_, __LINE__))
#define BUILD_BUG_ON(condition) BUILD_BUG_ON_MSG(condition, #condition)
#define BUILD_BUG() BUILD_BUG_ON(1)
#define BUILD_BUG_ON_ZERO(condition, ...) ((int)(sizeof(struct { int : (-!!(condition)); })))
#define BUILD_BUG_ON_NOT_POWER_OF_2(value) BUILD_BUG_ON((value) == 0 || (((value) & ((value)-1)) != 0))

#endif
