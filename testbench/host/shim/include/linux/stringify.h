// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_STRINGIFY_H
#define PMUFAB_LINUX_STRINGIFY_H
#define __stringify_1(...) #__VA_ARGS__
#define __stringify(...) __stringify_1(__VA_ARGS__)
#endif
