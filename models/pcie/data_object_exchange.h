// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/pcie/configuration_space.h"

namespace pmufab::pcie {

/// Data object exchange: a mailbox in configuration space (PCI Express 6.0, 6.30 and 7.9.24), without interrupt. It
/// answers at once. DOE Discovery is always there.
class DataObjectExchange {
 public:
  using Words = std::vector<std::uint32_t>;
  /// @param request  the words of a data object behind its header
  /// @return the answer's; nothing: the request is discarded without an answer
  using Protocol = std::function<std::optional<Words>(std::span<const std::uint32_t> request)>;

  /// Adds the extended capability (id 0x002e). `space` must outlive this, and this must not move.
  explicit DataObjectExchange(ConfigurationSpace& space);
  DataObjectExchange& operator=(DataObjectExchange&&) = delete;

  /// Answer data objects of this vendor and type.
  void add(std::uint16_t vendor, std::uint8_t type, Protocol protocol);
  /// Forget what was written and what is to be read.
  void reset();

 private:
  using Key = std::pair<std::uint16_t, std::uint8_t>;

  [[nodiscard]] std::optional<Words> discover(std::span<const std::uint32_t> request) const;
  void control(std::uint32_t written);
  void go();
  void show();

  ConfigurationSpace& space_;
  unsigned at_;
  std::map<Key, Protocol> protocols_;
  Words written_;
  Words answer_;
  std::size_t read_ = 0;  // words of the answer that were read
  bool error_ = false;
};

}  // namespace pmufab::pcie
