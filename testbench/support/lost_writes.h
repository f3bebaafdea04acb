// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pmufab::testing {

/// The test that runs makes writes without effect, on purpose or because its driver does. Their reports
/// (kLostWriteReport) need not be announced from now on.
void let_writes_be_lost() noexcept;

}  // namespace pmufab::testing
