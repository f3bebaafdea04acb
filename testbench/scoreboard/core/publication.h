// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
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

/// What a map of the hardware shows of one crosspoint.
struct PublishedCrosspoint {
  struct Port {
    std::string device;  ///< "HN-F"; empty: none
    /// By device: the logical ids of its nodes, of which the map shows one. None: it may show anything.
    std::array<std::set<unsigned>, 2> ids{};
    bool operator==(const Port&) const = default;
  };
  std::string domain;           ///< number of its DTC
  bool may_be_unknown = false;  ///< software cannot tell the domain
  std::vector<Port> ports;      ///< those beyond have no device
};

/// A map in debugfs.
struct PublishedMap {
  std::string file;  ///< "arm-cmn/map"
  unsigned columns = 0;
  std::vector<PublishedCrosspoint> crosspoints;  ///< y * columns + x; none: there is no map
};

/// Names that are in none of these lists are the driver's own business.
struct Publication {
  std::vector<PublishedField> fields;
  std::vector<PublishedEvent> events;  ///< a name may come twice, for different versions
  std::vector<PublishedFile> files;
  PublishedMap map{};
};

}  // namespace pmufab::scoreboard
