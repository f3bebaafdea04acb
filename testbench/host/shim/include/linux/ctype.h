// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_LINUX_CTYPE_H
#define PMUFAB_LINUX_CTYPE_H
#define isdigit(c) ((c) >= '0' && (c) <= '9')
#define islower(c) ((c) >= 'a' && (c) <= 'z')
#define isupper(c) ((c) >= 'A' && (c) <= 'Z')
#define isalpha(c) (islower(c) || isupper(c))
#define isalnum(c) (isalpha(c) || isdigit(c))
#define isspace(c) ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))
#define isxdigit(c) (isdigit(c) || ((c) >= 'a' && (c) <= 'f') || ((c) >= 'A' && (c) <= 'F'))
#define isprint(c) ((c) >= ' ' && (c) <= '~')
#define tolower(c) (isupper(c) ? (c) - 'A' + 'a' : (c))
#define toupper(c) (islower(c) ? (c) - 'a' + 'A' : (c))
#endif
