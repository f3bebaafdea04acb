// SPDX-License-Identifier: BSD-2-Clause
#ifndef PMUFAB_UAPI_CXL_FEATURES_H
#define PMUFAB_UAPI_CXL_FEATURES_H
#include <linux/uuid.h>
/* CXL Features are not configured: a type for declarations only. */
struct cxl_feat_entry {
  uuid_t uuid;
};
#endif
