// SPDX-License-Identifier: Apache-2.0
#include "tlm/transaction/memory_class.h"

namespace pmufab {

std::string_view to_string(MemoryClass memory) noexcept {
  switch (memory) {
    case MemoryClass::cmem:
      return "cmem";
    case MemoryClass::gmem:
      return "gmem";
    case MemoryClass::cxl:
      return "cxl";
    case MemoryClass::bar:
      return "bar";
  }
  return "?";
}

}  // namespace pmufab
