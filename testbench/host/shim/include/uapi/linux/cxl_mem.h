// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <linux/bitops.h>
#include <linux/types.h>

/* Mailbox commands of the user space interface. They are never sent here, so their numbers have no meaning outside of
 * the module. The list holds every command of any supported kernel. */
#define __PMUFAB_CXL_COMMANDS(each)                                                                                   \
  each(INVALID) each(IDENTIFY) each(RAW) each(GET_SUPPORTED_LOGS) each(GET_FW_INFO) each(GET_PARTITION_INFO)          \
      each(GET_LSA) each(GET_HEALTH_INFO) each(GET_LOG) each(SET_PARTITION_INFO) each(SET_LSA) each(GET_ALERT_CONFIG) \
          each(SET_ALERT_CONFIG) each(GET_SHUTDOWN_STATE) each(SET_SHUTDOWN_STATE) each(GET_POISON)                   \
              each(INJECT_POISON) each(CLEAR_POISON) each(GET_SCAN_MEDIA_CAPS) each(SCAN_MEDIA) each(GET_SCAN_MEDIA)  \
                  each(GET_TIMESTAMP) each(GET_LOG_CAPS) each(CLEAR_LOG) each(GET_SUP_LOG_SUBLIST) each(MAX)
#define __PMUFAB_CXL_ID(name) CXL_MEM_COMMAND_ID_##name,
enum { __PMUFAB_CXL_COMMANDS(__PMUFAB_CXL_ID) };
#define __PMUFAB_CXL_NAME(text) {#text},
static const struct {
  const char* name;
} cxl_command_names[] __maybe_unused = {__PMUFAB_CXL_COMMANDS(__PMUFAB_CXL_NAME)};

#define CXL_MEM_QUERY_COMMANDS 1
#define CXL_MEM_SEND_COMMAND 2
#define CXL_MEM_COMMAND_FLAG_ENABLED BIT(0)
#define CXL_MEM_COMMAND_FLAG_EXCLUSIVE BIT(1)
#define CXL_MEM_COMMAND_FLAG_MASK BIT(0)
struct cxl_command_info {
  __u32 id, flags, size_in, size_out;
};
struct cxl_mem_query_commands {
  __u32 n_commands, rsvd;
  struct cxl_command_info commands[];
};
struct cxl_send_command {
  __u32 id, flags;
  union {
    struct {
      __u16 opcode, rsvd;
    } raw;
    __u32 rsvd;
  };
  __u32 retval;
  struct {
    __s32 size;
    __u32 rsvd;
    __u64 payload;
  } in, out;
};
