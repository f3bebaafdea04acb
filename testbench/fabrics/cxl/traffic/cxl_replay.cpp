// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/cxl/traffic/cxl_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tlm/spec/spec_error.h"

namespace pmufab::traffic {

namespace {

constexpr std::size_t kOperationsPerRead = 1024;
constexpr Picoseconds kLatest = Picoseconds{1} << 62;  // half of the range, so that sums of two times fit
constexpr std::uint64_t kLineMask = ~std::uint64_t{63};

}  // namespace

CxlOperation operation_called(const std::string& name, const std::string& place) {
  for (unsigned number = 0; number < kCxlOperations; ++number) {
    const auto operation = static_cast<CxlOperation>(number);
    if (to_string(operation) == name) return operation;
  }
  throw UnknownOperation(place, name);
}

/// Called when a device's own operations end.
class CxlReplay::Own final : public cxl::LocalClient {
 public:
  Own(CxlReplay& replay, cxl::MemoryDevice& device) : replay_(replay), device_(device) {
    device_.set_local_client(this);
  }
  ~Own() { device_.set_local_client(nullptr); }
  Own& operator=(Own&&) = delete;

  void push(std::uint32_t user) { users_.push(user); }
  void local_done(Picoseconds now) override { replay_.completed(users_.pop(), now); }

 private:
  CxlReplay& replay_;
  cxl::MemoryDevice& device_;
  cxl::Ring<std::uint32_t> users_;  // in order
};

CxlReplay::CxlReplay(cxl::Engine& engine, std::vector<CxlTargets> devices, const CxlReplaySpec& spec,
                     const std::string& field, std::uint32_t outstanding)
    : engine_(engine),
      devices_(std::move(devices)),
      spec_(spec),
      reader_(spec.file, TraceContents::operations),
      own_(devices_.size()),
      buffer_(kOperationsPerRead),
      outstanding_(outstanding) {
  survey(field);
  actor_ = engine.add(*this);
  for (const CxlTargets& targets : devices_) {
    if (host_number(targets.host) == hosts_.size()) hosts_.push_back(targets.host);
  }
  under_way_.resize(hosts_.size());
  const auto users = static_cast<std::uint32_t>(hosts_.size() * outstanding_);
  began_.resize(users);
  host_of_user_.resize(users);
  for (std::uint32_t user = users; user > 0; --user) free_.push_back(user - 1);
}

CxlReplay::~CxlReplay() = default;

void CxlReplay::survey(const std::string& field) {
  std::vector<bool> named;
  while ((filled_ = reader_.read(buffer_)) != 0) {
    for (std::size_t i = 0; i < filled_; ++i) {
      const TraceOperation& operation = buffer_[i];
      // A file may have names of operations that it does not use and this program does not know.
      operations_.resize(std::max<std::size_t>(operations_.size(), operation.operation + 1));
      named.resize(operations_.size());
      if (!named[operation.operation]) {
        named[operation.operation] = true;
        operations_[operation.operation] = operation_called(reader_.names()[operation.operation], reader_.place(i));
      }
      const CxlOperation known = operations_[operation.operation];
      const auto fail = [&](const std::string& reason) {
        throw TraceError(fmt::format("{}: {}", reader_.place(i), reason));
      };
      if (operation.when >= kLatest) fail(fmt::format("{} ps are too late to come", operation.when));
      if (operation.device >= devices_.size())
        fail(fmt::format("there is no CXL device {}; the platform has {}", operation.device, devices_.size()));
      const CxlTargets& targets = devices_[operation.device];
      if (!can_do(targets, known)) fail(fmt::format("device {} cannot do {}", operation.device, to_string(known)));
      if (agent_of(known) != CxlAgent::device) continue;
      const cxl::HdmRange* const range = targets.device->map().claim(operation.address & kLineMask).range;
      const bool coherent = range != nullptr && range->coherency == cxl::Coherency::hdm_db;
      if (!coherent)
        fail(fmt::format("{:#x} is not in HDM-DB memory of device {}, where its own operations go", operation.address,
                         operation.device));
      if (coherent && range->interleave.ways > 1)
        fail(fmt::format("device {} shares the memory at {:#x} with others, in chunks", operation.device,
                         operation.address));
      if (own_[operation.device] != nullptr) continue;
      if (targets.device->has_local_client())
        throw SpecError(
            field + ".trace",
            fmt::format("other traffic does device {}'s own operations, as the trace does", operation.device),
            "leave that traffic out");
      own_[operation.device] = std::make_unique<Own>(*this, *targets.device);
    }
  }
  position_ = 0;
  reader_.rewind();
}

void CxlReplay::start(Picoseconds zero) {
  zero_ = zero + spec_.start;
  if (refill()) engine_.set(actor_, zero_ + buffer_[position_].when);
}

void CxlReplay::stop() {
  ended_ = true;
  engine_.set(actor_, kNever);
}

/// @return false after the last operation
bool CxlReplay::refill() {
  if (ended_) return false;
  if (position_ == filled_) {
    position_ = 0;
    filled_ = reader_.read(buffer_);
  }
  ended_ = position_ == filled_;
  return !ended_;
}

void CxlReplay::act(Picoseconds now) {
  waiting_ = false;
  acting_ = true;
  bool joined = false;
  while (refill()) {
    const TraceOperation& operation = buffer_[position_];
    if (const Picoseconds when = zero_ + operation.when; when > now) {
      engine_.set(actor_, when);
      break;
    }
    if (joined && !operation.joined) {
      engine_.set(actor_, now);  // the effects of the previous operation come first
      break;
    }
    if (!begin(operation, now)) {
      waiting_ = true;
      break;
    }
    if (zero_ + operation.when < now) ++late_;
    if (listener_ != nullptr)
      listener_->on_operation(now, operation.device, operations_[operation.operation], operation.address & kLineMask,
                              operation.tee, joined);
    joined = true;
    ++position_;
  }
  acting_ = false;
}

unsigned CxlReplay::host_number(const cxl::Host* host) const {
  return static_cast<unsigned>(std::find(hosts_.begin(), hosts_.end(), host) - hosts_.begin());
}

/// @return false if it must wait
bool CxlReplay::begin(const TraceOperation& operation, Picoseconds now) {
  const CxlOperation known = operations_[operation.operation];
  const CxlTargets& targets = devices_[operation.device];
  const std::uint64_t address = operation.address & kLineMask;
  // Tags identify everything under way below a host, for whichever device.
  const unsigned host = host_number(host_of(targets, known, address));
  if (under_way_[host] == outstanding_) return false;
  const std::uint32_t user = free_.back();
  began_[user] = now;
  host_of_user_[user] = host;
  free_.pop_back();
  ++under_way_[host];
  if (agent_of(known) == CxlAgent::device) own_[operation.device]->push(user);
  const cxl::IssueResult result = begin_operation(targets, known, address, operation.tee, user, *this);
  if (result == cxl::IssueResult::blocked) {
    free_.push_back(user);
    --under_way_[host];
    return false;
  }
  ++begun_;
  if (result == cxl::IssueResult::done) completed(user, now);
  return true;
}

void CxlReplay::completed(std::uint32_t user, Picoseconds now) {
  latencies_.add(now - began_[user]);
  ++completed_;
  --under_way_[host_of_user_[user]];
  free_.push_back(user);
  wake(now);
}

void CxlReplay::unblocked(Picoseconds now) { wake(now); }

void CxlReplay::wake(Picoseconds now) {
  if (waiting_ && !acting_ && !ended_) engine_.set(actor_, now);
}

}  // namespace pmufab::traffic
