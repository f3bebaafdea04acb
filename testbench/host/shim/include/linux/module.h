// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/compiler_types.h>
#include <linux/device.h>
#include <linux/types.h>

/* Queued: the module is loaded after the caller has returned, because its init may take the caller's locks. */
__printf(1, 2) int request_module_nowait(const char* format, ...);
#define request_module(format...) request_module_nowait(format)

/* Parameters keep their built-in values. Those with functions of their own are read once the module is loaded, and set to
 * what was read. */

struct kernel_param;
struct kernel_param_ops {
  unsigned int flags;
  int (*set)(const char* text, const struct kernel_param* parameter);
  int (*get)(char* page, const struct kernel_param* parameter);
  void (*free)(void* argument);
};
struct module;
struct kernel_param {
  const char* name;
  struct module* mod;
  const struct kernel_param_ops* ops;
  u16 perm;
  void* arg;
  struct kernel_param* next; /* our member: of the same module */
};
int param_set_int(const char* text, const struct kernel_param* parameter);
int param_get_int(char* page, const struct kernel_param* parameter);
int param_set_uint(const char* text, const struct kernel_param* parameter);
int param_get_uint(char* page, const struct kernel_param* parameter);
int param_set_ulong(const char* text, const struct kernel_param* parameter);
int param_get_ulong(char* page, const struct kernel_param* parameter);
void pmufab_module_has_parameter(struct kernel_param* parameter);
#define module_param_cb(_name, _ops, _arg, _perm)                                                                 \
  static void __attribute__((__constructor__, __used__)) __PASTE(__pmufab_parameter_, _name)(void) {              \
    static struct kernel_param parameter = {                                                                      \
        .name = __stringify(_name), .mod = &__this_module, .ops = (_ops), .perm = (_perm), .arg = (void*)(_arg)}; \
    pmufab_module_has_parameter(&parameter);                                                                      \
  }                                                                                                               \
  struct __pmufab_exported
#define module_param(name, type, permissions) struct __pmufab_exported
#define module_param_named(name, variable, type, permissions) struct __pmufab_exported
#define MODULE_PARM_DESC(name, text) struct __pmufab_exported

#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "built_in"
#endif
/* tools/build-drivers tells each driver its file. */
#ifndef PMUFAB_DRIVER_FILE
#define PMUFAB_DRIVER_FILE ""
#define PMUFAB_DRIVER_SHA256 ""
#define PMUFAB_DRIVER_OWN 0
#endif

struct module {
  const char* name;
  /* Our members. */
  const char* file;   /* the name of its source, without folders */
  const char* sha256; /* of the source, in hexadecimal */
  int own;      /* the source is the kernel's (0), the user's or changed by the user (1); or a header of it is (2) */
  bool is_used; /* a device was bound by it, or with its help */
  int references;
  bool loaded;
  bool is_helper;                  /* another module has asked for it */
  bool is_built_in;                /* it can only be built into a kernel, and is never unloaded */
  bool has_device_table;           /* has a device table, so loaded at boot; others are loaded on request */
  const char* license;             /* null: it has none */
  const char* tables[8];           /* the kinds of its device tables, and its aliases: "acpi", "cxl:t7*" */
  struct kernel_param* parameters; /* with functions of their own; null: none */
  int (*init)(void);
  void (*exit)(void);
};

/* One driver file is one kernel module. Its parts register themselves when the library is loaded. */
static struct module __this_module __maybe_unused = {
    .name = KBUILD_MODNAME, .file = PMUFAB_DRIVER_FILE, .sha256 = PMUFAB_DRIVER_SHA256, .own = PMUFAB_DRIVER_OWN};
#define THIS_MODULE (&__this_module)
void pmufab_module_register(struct module* module);
#define __PMUFAB_MODULE_PART(tag, statement)                                                    \
  static void __attribute__((__constructor__, __used__)) __PASTE(__pmufab_module_, tag)(void) { \
    statement;                                                                                  \
    pmufab_module_register(THIS_MODULE);                                                        \
  }                                                                                             \
  struct __pmufab_exported
#define module_init(function) __PMUFAB_MODULE_PART(init, __this_module.init = (function))
#define module_exit(function) __PMUFAB_MODULE_PART(exit, __this_module.exit = (function))
#define subsys_initcall(function) module_init(function)
#define device_initcall(function) \
  __PMUFAB_MODULE_PART(init, (__this_module.is_built_in = true, __this_module.init = (function)))
#define late_initcall(function) module_init(function)
void pmufab_module_has_table(struct module* module, const char* kind);
#define MODULE_DEVICE_TABLE(type, table) \
  __PMUFAB_MODULE_PART(__PASTE(table_##type, __LINE__), ((void)(table), pmufab_module_has_table(THIS_MODULE, #type)))
#define __MODULE_NOTE struct __pmufab_exported
#define MODULE_LICENSE(text)                                                                 \
  static void __attribute__((__constructor__, __used__)) __pmufab_module_has_license(void) { \
    __this_module.license = (text);                                                          \
  }                                                                                          \
  __MODULE_NOTE
#define MODULE_AUTHOR(text) __MODULE_NOTE
#define MODULE_DESCRIPTION(text) __MODULE_NOTE
#define MODULE_VERSION(text) __MODULE_NOTE
void pmufab_module_has_alias(struct module* module, const char* text);
#define MODULE_ALIAS(text) \
  __PMUFAB_MODULE_PART(__PASTE(alias_, __COUNTER__), pmufab_module_has_alias(THIS_MODULE, text))
#define MODULE_SOFTDEP(text) __MODULE_NOTE
#define MODULE_IMPORT_NS(space) __MODULE_NOTE

bool try_module_get(struct module* module);
void module_put(struct module* module);
static inline void __module_get(struct module* module) { (void)try_module_get(module); }
static inline const char* module_name(struct module* module) { return module ? module->name : "kernel"; }
