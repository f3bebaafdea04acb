// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_EXPORT_H
#define PMUFAB_LINUX_EXPORT_H
/* All drivers of a kernel version are linked into one library: an exported symbol is just a global one. */
#define EXPORT_SYMBOL(symbol) struct __pmufab_exported
#define EXPORT_SYMBOL_GPL(symbol) struct __pmufab_exported
#define EXPORT_SYMBOL_NS(symbol, space...) struct __pmufab_exported
#define EXPORT_SYMBOL_NS_GPL(symbol, space...) struct __pmufab_exported
#define EXPORT_SYMBOL_FOR_MODULES(symbol, modules) struct __pmufab_exported
#endif
