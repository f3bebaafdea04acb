// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What a driver must show of a PMU in sysfs: made from the platform's description, by the kernel's documents and the
/// hardware's specification, and compared with what the driver does show.
namespace pmufab::scoreboard {

/// A version of Linux as a number: 703 for 7.3. 0: any.
using LinuxVersion = unsigned;

/// config, config1 and config2 of struct perf_event_attr.
using ConfigWords = std::array<std::uint64_t, 3>;

/// Whether a driver shows a thing.
enum class Shown : std::uint8_t {
  must,   ///< the PMU has it
  may,    ///< shown or not, nobody is misled
  never,  ///< the PMU does not have it
};

/// A field of an event: a file in format/.
struct PublishedField {
  struct Place {
    std::string text;  ///< "config:0-15"
    LinuxVersion since = 0;
  };
  std::string name;
  std::vector<Place> places;  ///< that it has had, the oldest first
  Shown shown = Shown::must;
  LinuxVersion since = 0;
};

/// An event: a file in events/.
struct PublishedEvent {
  std::string name;
  ConfigWords words{};  ///< that it stands for
  Shown shown = Shown::must;
  LinuxVersion since = 0;
  LinuxVersion last = 0;     ///< version that has it; 0: the newest, too
  std::string missing = {};  ///< for Shown::never: what the PMU lacks
};

/// Another file of the PMU, such as `identifier`.
struct PublishedFile {
  std::string name;
  std::string text;
  LinuxVersion since = 0;
};

/// A file in debugfs that shows the hardware.
struct PublishedDrawing {
  std::string file;  ///< "arm-cmn/map"
  /// @return what is wrong first in the text that a driver shows; nothing: all is right. Empty: there is no such file
  std::function<std::optional<std::string>(const std::string& text)> compare;
};

/// Names that are in none of these lists are the driver's own business. If the lists are complete, what the names stand for
/// is not.
struct Publication {
  std::vector<PublishedField> fields;
  std::vector<PublishedEvent> events;  ///< a name may come twice, for different versions
  bool is_complete = true;             ///< no driver may show other fields, or events of other numbers
  std::uint64_t combined = 0;          ///< bits of config that stand for one event each, and count together
  std::vector<PublishedFile> files;
  PublishedDrawing drawing{};
  bool associates_online = false;  ///< associated_cpus may lack CPUs that have not been online
  std::string needs = {};          ///< terms without which a driver refuses an event: "port=1"
  std::string left_alone = {};     ///< why software must not drive this hardware; empty: it may
};

}  // namespace pmufab::scoreboard
