// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_EXPORT_H
#define PMUFAB_LINUX_EXPORT_H
/* All drivers of a kernel version are linked into one library: an exported symbol is just a global one. */
/* The symbols of a library tell of local functions only which file they are of, so an exported one gets a local name, too. */
#define __PMUFAB_EXPORTED(symbol) \
  static __typeof__(symbol) __pmufab_exported_##symbol __attribute__((__alias__(#symbol), __used__))
#define EXPORT_SYMBOL(symbol) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_GPL(symbol) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_NS(symbol, space...) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_NS_GPL(symbol, space...) __PMUFAB_EXPORTED(symbol)
#define EXPORT_SYMBOL_FOR_MODULES(symbol, modules) __PMUFAB_EXPORTED(symbol)
#endif
