// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MODULEPARAM_H
#define PMUFAB_LINUX_MODULEPARAM_H
/* Parameters keep their built-in values. Those with functions of their own are read once the module is loaded, and set to
 * what was read. */
#include <linux/types.h>

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
#endif
