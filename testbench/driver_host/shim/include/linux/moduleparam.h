// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_MODULEPARAM_H
#define PMUFAB_LINUX_MODULEPARAM_H
/* Parameters keep their built-in values. */
#define module_param(name, type, permissions) struct __pmufab_exported
#define module_param_named(name, variable, type, permissions) struct __pmufab_exported
#define MODULE_PARM_DESC(name, text) struct __pmufab_exported
#endif
