// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pmufab {

/// SystemC report id of writes that succeed and have no effect (RegisterBank). A bank reports each place once.
inline constexpr const char* kLostWriteReport = "/pmufab/lost-write";

}  // namespace pmufab
