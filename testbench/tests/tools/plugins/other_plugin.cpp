// SPDX-License-Identifier: Apache-2.0
// A plug-in that pmufab must refuse: of another version, made with another SystemC, and so on.
#include "models/plugin/plugin.h"

#ifndef OTHER_VERSION
#define OTHER_VERSION pmufab::plugin::kInterfaceVersion
#endif
#ifndef OTHER_SYSTEMC
#define OTHER_SYSTEMC pmufab::plugin::kSystemC
#endif
#ifndef OTHER_ABI
#define OTHER_ABI pmufab::plugin::kAbi
#endif
#ifndef OTHER_SYMBOL
#define OTHER_SYMBOL pmufab_plugin
#endif
#ifndef OTHER_MAKE
#define OTHER_MAKE make_other
namespace {
pmufab::plugin::Plugin* make_other(pmufab::plugin::Host& /*host*/) { return new pmufab::plugin::Plugin; }
}  // namespace
#endif

extern "C" const pmufab::plugin::Descriptor* OTHER_SYMBOL();
const pmufab::plugin::Descriptor* OTHER_SYMBOL() {
  static const pmufab::plugin::Descriptor descriptor = {OTHER_VERSION, 0,       OTHER_SYSTEMC, OTHER_ABI,
                                                        "other",       nullptr, OTHER_MAKE};
  return &descriptor;
}
