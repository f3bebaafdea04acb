// SPDX-License-Identifier: BSD-2-Clause
#pragma once
#include <linux/types.h>
struct device;
struct module;
struct fw_upload {
  void* dd_handle;
};
enum fw_upload_err {
  FW_UPLOAD_ERR_NONE,
  FW_UPLOAD_ERR_HW_ERROR,
  FW_UPLOAD_ERR_TIMEOUT,
  FW_UPLOAD_ERR_CANCELED,
  FW_UPLOAD_ERR_BUSY,
  FW_UPLOAD_ERR_INVALID_SIZE,
  FW_UPLOAD_ERR_RW_ERROR,
  FW_UPLOAD_ERR_WEAROUT,
  FW_UPLOAD_ERR_FW_INVALID,
  FW_UPLOAD_ERR_MAX
};
struct fw_upload_ops {
  enum fw_upload_err (*prepare)(struct fw_upload* upload, const u8* data, u32 size);
  enum fw_upload_err (*write)(struct fw_upload* upload, const u8* data, u32 offset, u32 size, u32* written);
  enum fw_upload_err (*poll_complete)(struct fw_upload* upload);
  void (*cancel)(struct fw_upload* upload);
  void (*cleanup)(struct fw_upload* upload);
};
struct fw_upload* firmware_upload_register(struct module* module, struct device* parent, const char* name,
                                           const struct fw_upload_ops* operations, void* handle);
void firmware_upload_unregister(struct fw_upload* upload);
