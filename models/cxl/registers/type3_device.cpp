// SPDX-License-Identifier: Apache-2.0
#include "models/cxl/registers/type3_device.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::cxl {

namespace {

constexpr std::uint16_t kVendor = 0x1e98;  // in CXL's DVSECs
constexpr std::uint16_t kDeviceDvsec = 0;
constexpr std::uint16_t kDeviceFlush = 5;  // of a device
constexpr std::uint16_t kDeviceFlexBus = 7;
constexpr std::uint16_t kRegisterLocator = 8;
constexpr unsigned kDeviceDvsecBytes = 0x3c;    // CXL 3.1, 8.1.3
constexpr unsigned kDeviceFlushBytes = 0x10;    // CXL 3.1, 8.1.7
constexpr unsigned kDeviceFlexBusBytes = 0x20;  // CXL 3.1, 8.1.8
constexpr unsigned kLocatorEntries = 0x0c;      // CXL 3.1, 8.1.9
constexpr std::uint64_t kBlockBytes = 0x1'0000;
constexpr std::uint32_t kClassMemoryCxl = 0x050210;

// Registers of the CXL device DVSEC.
constexpr unsigned kCapability = 0x0a;
constexpr unsigned kDvsecControl = 0x0c;
constexpr unsigned kStatus = 0x0e;
constexpr unsigned kDvsecLock = 0x14;
constexpr std::uint32_t kMemEnable = 0x4;
constexpr std::uint32_t kInfoValid = 0x1;
constexpr std::uint32_t kActive = 0x2;

constexpr unsigned range_register(unsigned range, unsigned offset) { return 0x18 + 0x10 * range + offset; }

constexpr std::uint64_t block_bytes(const RegisterBlock& block, const Type3Parameters& parameters) {
  if (block.id != BlockId::device) return kBlockBytes;
  const std::uint64_t bytes =
      DeviceRegisters::kMailboxOffset + Mailbox::kPayloadOffset + (std::uint64_t{1} << parameters.payload_size_log2);
  return (bytes + kBlockBytes - 1) & ~(kBlockBytes - 1);
}

}  // namespace

/// The layout of the BAR.
struct Type3Device::Layout {
  explicit Layout(const Type3Parameters& parameters);

  std::vector<std::uint64_t> offsets;
  std::vector<bool> placed;
  std::uint64_t bar_size;
  std::uint32_t msi_x;
};

Type3Device::Layout::Layout(const Type3Parameters& parameters) {
  if (parameters.payload_size_log2 < 8 || parameters.payload_size_log2 > 20) {
    throw SpecError("payload_size_log2", fmt::format("{} is not 8 ... 20", parameters.payload_size_log2));
  }
  if (parameters.memory_ranges > 2) {
    throw SpecError("memory_ranges", fmt::format("{} is not 0 ... 2", parameters.memory_ranges));
  }
  struct Taken {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Taken> taken;
  std::uint64_t next = 0;
  bool has_device = false;
  bool has_component = false;
  for (std::size_t entry = 0; entry < parameters.blocks.size(); ++entry) {
    const RegisterBlock& block = parameters.blocks[entry];
    const std::string field = fmt::format("blocks[{}]", entry);
    if ((block.id == BlockId::device && has_device) || (block.id == BlockId::component && has_component))
      throw SpecError(field, "there can be one such block only");
    has_device |= block.id == BlockId::device;
    has_component |= block.id == BlockId::component;
    if (block.offset && *block.offset % kBlockBytes != 0) {
      throw SpecError(field + ".offset", fmt::format("{:#x} is not a multiple of 64 KiB", *block.offset));
    }
    const bool has_registers = block.id != BlockId::empty;
    offsets.push_back(block.offset.value_or(has_registers ? next : 0));
    placed.push_back(has_registers);
    if (has_registers && !block.offset) next += block_bytes(block, parameters);
  }
  const std::uint32_t table =
      parameters.msi_x_vectors == 0 ? 0U : pcie::MsiX::window_size(std::min(parameters.msi_x_vectors, 2048U));
  msi_x = static_cast<std::uint32_t>(next);
  bar_size = std::bit_ceil(std::max<std::uint64_t>(next + table, kBlockBytes));
  if (table != 0) taken.push_back({next, next + table});
  for (std::size_t entry = 0; entry < placed.size(); ++entry) {
    if (!placed[entry]) continue;
    const std::uint64_t begin = offsets[entry];
    const std::uint64_t bytes = block_bytes(parameters.blocks[entry], parameters);
    const bool free = std::none_of(taken.begin(), taken.end(), [&](const Taken& other) {
      return begin < other.end && other.begin < begin + bytes;
    });
    placed[entry] = free && begin < bar_size && bytes <= bar_size - begin;
    if (placed[entry]) taken.push_back({begin, begin + bytes});
  }
}

/// SystemC requires every target to be bound, even those that no access reaches.
struct Type3Device::Nowhere : sc_core::sc_module {
  explicit Nowhere(const sc_core::sc_module_name& module_name) : sc_core::sc_module(module_name) {}
  tlm_utils::simple_initiator_socket<Nowhere, 64> socket{"socket"};
};

namespace {

pcie::FunctionParameters function_parameters(const Type3Parameters& parameters, std::uint64_t bar_size,
                                             std::uint32_t msi_x) {
  pcie::FunctionParameters function;
  function.vendor_id = parameters.vendor_id;
  function.device_id = parameters.device_id;
  function.class_code = kClassMemoryCxl;
  function.subsystem_vendor_id = parameters.vendor_id;
  function.subsystem_id = parameters.device_id;
  function.serial_number = parameters.serial_number;
  function.link = parameters.link;
  // Prefetchable, because bridges have no other window above 4 GiB.
  function.bars[Type3Device::kBar] = {.size = bar_size, .prefetchable = true};
  if (parameters.msi_x_vectors != 0) {
    function.msi_x = {.vectors = parameters.msi_x_vectors, .bar = Type3Device::kBar, .offset = msi_x};
  }
  if (parameters.msi_vectors != 0) function.msi = {.vectors = parameters.msi_vectors};
  return function;
}

}  // namespace

Type3Device::Type3Device(const sc_core::sc_module_name& name, const Type3Parameters& parameters)
    : Type3Device(name, parameters, Layout(parameters)) {}

Type3Device::Type3Device(const sc_core::sc_module_name& name, const Type3Parameters& parameters, const Layout& layout)
    : sc_core::sc_module(name),
      parameters_(parameters),
      offsets_(layout.offsets),
      placed_(layout.placed),
      function_("function", function_parameters(parameters, layout.bar_size, layout.msi_x)),
      commands_(parameters.memory),
      attributes_(parameters.memory),
      component_(std::make_unique<ComponentRegisters>(
          "component", parameters.hdm_decoders,
          parameters.memory.volatile_capacity + parameters.memory.persistent_capacity)),
      device_(std::make_unique<DeviceRegisters>("device", commands_, parameters.payload_size_log2,
                                                parameters.command_latency, parameters.missing_capability)),
      ready_event_("ready_event") {
  add_device_dvsec();
  add_register_locator();
  add_port_dvsecs();
  add_data_object_exchange();
  for (std::size_t entry = 0; entry < placed_.size(); ++entry) {
    if (!placed_[entry]) continue;
    if (parameters.blocks[entry].id == BlockId::component) {
      function_.map(kBar, "component registers", offsets_[entry], ComponentRegisters::kSize, component_->socket);
    } else if (parameters.blocks[entry].id == BlockId::device) {
      function_.map(kBar, "device registers", offsets_[entry], device_->size(), device_->socket);
    }
  }
  component_->on_claim([this](unsigned, const HdmClaim&) { update_maps(); });
  function_.space().on_write(device_dvsec_ + kDvsecControl, 2,
                             [this](const pcie::ConfigurationWrite&) { update_maps(); });
  function_.on_reset([this](pcie::ResetKind kind) { reset(kind); });
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&ready_event_);
  sc_core::sc_spawn([this] { become_ready(); }, "become_ready", &options);
  reset(pcie::ResetKind::cold);
}

Type3Device::~Type3Device() = default;

void Type3Device::add_device_dvsec() {
  // A function level reset leaves the state of CXL.mem alone (CXL 3.1, 9.5): hence function_kept.
  pcie::ConfigurationSpace& space = function_.space();
  device_dvsec_ = space.add_dvsec(kVendor, kDeviceDvsec, 2, kDeviceDvsecBytes);
  // IO and memory capable, no cache; the number of ranges that show the capacity.
  space.define(device_dvsec_ + kCapability, 2, {.value = 0x6 | parameters_.memory_ranges << 4});
  space.define(device_dvsec_ + kDvsecControl, 2, {.value = 0x2, .writable = kMemEnable, .function_kept = kMemEnable});
  space.define(device_dvsec_ + kStatus, 2, {.write_one_to_clear = 0x4000, .sticky = 0x4000});
  space.define(device_dvsec_ + kDvsecLock, 2, {.writable = 0x1, .function_kept = 0x1});
  const MemoryCommandsParameters& memory = parameters_.memory;
  // Two ranges: volatile memory, then persistent.
  const std::uint64_t total = memory.volatile_capacity + memory.persistent_capacity;
  const std::uint64_t sizes[] = {parameters_.memory_ranges == 2 ? memory.volatile_capacity : total,
                                 memory.persistent_capacity};
  for (unsigned range = 0; range < parameters_.memory_ranges; ++range) {
    const auto low = static_cast<std::uint32_t>(sizes[range]) & 0xf000'0000;
    space.define(device_dvsec_ + range_register(range, 0), 4,
                 {.value = static_cast<std::uint32_t>(sizes[range] >> 32)});
    space.define(device_dvsec_ + range_register(range, 4), 4, {.value = low});
    space.define(device_dvsec_ + range_register(range, 8), 4, {.writable = ~0U, .function_kept = ~0U});
    space.define(device_dvsec_ + range_register(range, 12), 4, {.writable = 0xf000'0000, .function_kept = 0xf000'0000});
  }
}

void Type3Device::add_register_locator() {
  pcie::ConfigurationSpace& space = function_.space();
  const auto entries = static_cast<unsigned>(offsets_.size());
  const unsigned dvsec = space.add_dvsec(kVendor, kRegisterLocator, 0, kLocatorEntries + 8 * entries);
  for (unsigned entry = 0; entry < entries; ++entry) {
    const unsigned at = dvsec + kLocatorEntries + 8 * entry;
    const auto id = static_cast<std::uint32_t>(parameters_.blocks[entry].id);
    space.define(at, 4, {.value = static_cast<std::uint32_t>(offsets_[entry]) | id << 8 | kBar});
    space.define(at + 4, 4, {.value = static_cast<std::uint32_t>(offsets_[entry] >> 32)});
  }
}

void Type3Device::add_port_dvsecs() {
  pcie::ConfigurationSpace& space = function_.space();
  const unsigned flush = space.add_dvsec(kVendor, kDeviceFlush, 0, kDeviceFlushBytes);
  space.define(flush + 0x0a, 2, {.value = 0x0301});  // phase 2 takes 1 ms; no power is known
  // IO and memory; 68-byte flits and virtual hierarchies: capable and trained. Control is the port's above.
  constexpr std::uint32_t kProtocols = 0x0026;
  const unsigned flex_bus = space.add_dvsec(kVendor, kDeviceFlexBus, 2, kDeviceFlexBusBytes);
  space.define(flex_bus + 0x0a, 2, {.value = kProtocols});
  space.define(flex_bus + 0x0c, 2, {.value = 0x0002});
  space.define(flex_bus + 0x0e, 2, {.value = kProtocols});
}

void Type3Device::add_data_object_exchange() {
  exchange_ = std::make_unique<pcie::DataObjectExchange>(function_.space());
  exchange_->add(kVendor, AttributeTable::kTableAccess,
                 [this](std::span<const std::uint32_t> request) { return attributes_.read(request); });
}

unsigned Type3Device::cpmu_blocks() const noexcept {
  return static_cast<unsigned>(std::count_if(parameters_.blocks.begin(), parameters_.blocks.end(),
                                             [](const RegisterBlock& block) { return block.id == BlockId::cpmu; }));
}

void Type3Device::attach_cpmu(unsigned instance, tlm::tlm_base_target_socket_b<64>& registers, std::uint64_t size) {
  unsigned found = 0;
  for (std::size_t entry = 0; entry < parameters_.blocks.size(); ++entry) {
    if (parameters_.blocks[entry].id != BlockId::cpmu || found++ != instance) continue;
    if (placed_[entry]) return function_.map(kBar, fmt::format("CPMU {}", instance), offsets_[entry], size, registers);
    unreachable_.push_back(std::make_unique<Nowhere>(sc_core::sc_gen_unique_name("nowhere")));
    unreachable_.back()->socket.bind(registers);
    return;
  }
  throw SpecError(fmt::format("{}.blocks", name()), fmt::format("there is no block for CPMU {}", instance),
                  "add one with id cpmu");
}

void Type3Device::program_decoder(unsigned decoder, const HdmDecoderSettings& settings) {
  component_->program(decoder, settings);
  pcie::ConfigurationSpace& space = function_.space();
  space.set(device_dvsec_ + kDvsecControl, 2, space.read(device_dvsec_ + kDvsecControl, 2) | kMemEnable);
  update_maps();
}

void Type3Device::follow(HdmMap& map) {
  maps_.push_back(&map);
  update_maps();
}

void Type3Device::update_maps() const {
  for (HdmMap* const map : maps_) {
    for (unsigned decoder = 0; decoder < component_->decoders(); ++decoder) {
      const HdmClaim claim = memory_enabled() ? component_->claim(decoder) : HdmClaim{};
      HdmRange range = map->range(decoder);  // registers do not hold everything: keep the rest
      range.base = claim.base;
      range.size = claim.size;
      range.device_base = claim.device_base;
      range.interleave = claim.interleave;
      map->set(decoder, range);
    }
  }
}

void Type3Device::add_event(EventLog log, const EventRecord& record) {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  if (commands_.add_event(log, record, now)) signal(parameters_.memory.event_message);
}

void Type3Device::reset(pcie::ResetKind kind) {
  exchange_->reset();
  device_->reset();
  if (kind == pcie::ResetKind::function_level) return show_media();  // memory, decoders and logs stay as they are
  commands_.reset(kind == pcie::ResetKind::cold);
  component_->reset();
  media_ready_ = false;
  mailbox_ready_ = false;
  reset_at_ = to_picoseconds(sc_core::sc_time_stamp());
  become_ready();
}

void Type3Device::become_ready() {
  const Picoseconds now = to_picoseconds(sc_core::sc_time_stamp());
  std::optional<Picoseconds> next;
  const auto look = [&](const std::optional<Picoseconds>& after, bool& ready) {
    if (!after || ready) return;
    const Picoseconds when = reset_at_ + *after;
    ready = when <= now;
    if (!ready) next = next ? std::min(*next, when) : when;
  };
  look(parameters_.media_ready_after, media_ready_);
  look(parameters_.mailbox_ready_after, mailbox_ready_);
  show_media();
  device_->set_mailbox_ready(mailbox_ready_);
  ready_event_.cancel();
  if (next) ready_event_.notify(to_sc_time(*next - now));
}

void Type3Device::show_media() {
  device_->set_media_ready(media_ready_);
  pcie::ConfigurationSpace& space = function_.space();
  for (unsigned range = 0; range < parameters_.memory_ranges; ++range) {
    const unsigned at = device_dvsec_ + range_register(range, 4);
    const std::uint32_t size = space.read(at, 4) & 0xf000'0000;
    space.set(at, 4, size | kInfoValid | (media_ready_ ? kActive : 0));
  }
}

namespace {

constexpr std::uint32_t kRevision = 1;
constexpr std::uint32_t kLastEntry = 0xffff;

// Structures: type in byte 0, length in bytes 2 and 3.
constexpr std::uint32_t kMemoryAffinity = 0 | 24U << 16;  // DSMAS
constexpr std::uint32_t kMemoryType = 4 | 24U << 16;      // DSEMTS
constexpr std::uint32_t kNonVolatile = 1U << 2;           // flag of a DSMAS
constexpr std::uint32_t kSpecialPurpose = 1;              // DSEMTS: EfiConventionalMemory with EFI_MEMORY_SP
constexpr std::uint32_t kReserved = 2;                    // EfiReservedMemoryType

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

}  // namespace

AttributeTable::AttributeTable(const MemoryCommandsParameters& memory) {
  entries_.emplace_back();
  std::uint64_t base = 0;
  std::uint32_t handle = 0;
  const auto add = [&](std::uint64_t size, std::uint32_t flags, std::uint32_t use) {
    if (size == 0) return;
    entries_.push_back({kMemoryAffinity, handle | flags << 8, low(base), high(base), low(size), high(size)});
    entries_.push_back({kMemoryType, handle | use << 8, 0, 0, low(size), high(size)});
    base += size;
    ++handle;
  };
  add(memory.volatile_capacity, 0, kSpecialPurpose);
  add(memory.persistent_capacity, kNonVolatile, kReserved);

  std::size_t words = 4;
  for (const auto& entry : entries_) words += entry.size();
  entries_.front() = {static_cast<std::uint32_t>(4 * words), kRevision, 0, 0};  // length, revision, sequence number
  std::uint32_t sum = 0;
  for (const auto& entry : entries_) {
    for (const std::uint32_t word : entry)
      sum += (word & 0xff) + (word >> 8 & 0xff) + (word >> 16 & 0xff) + (word >> 24);
  }
  entries_.front()[1] |= (-sum & 0xff) << 8;  // all bytes of the table add up to 0
}

std::optional<std::vector<std::uint32_t>> AttributeTable::read(std::span<const std::uint32_t> request) const {
  // Byte 0 is the request (0: read), byte 1 the table (0: CDAT), bytes 2 and 3 the entry.
  if (request.size() != 1 || (request[0] & 0xffff) != 0) return std::nullopt;
  const std::size_t entry = request[0] >> 16;
  if (entry >= entries_.size()) return std::nullopt;
  const std::uint32_t next = entry + 1 < entries_.size() ? static_cast<std::uint32_t>(entry + 1) : kLastEntry;
  std::vector<std::uint32_t> answer{next << 16};
  answer.insert(answer.end(), entries_[entry].begin(), entries_[entry].end());
  return answer;
}

}  // namespace pmufab::cxl
