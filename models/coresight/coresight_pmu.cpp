// SPDX-License-Identifier: Apache-2.0
#include "models/coresight/coresight_pmu.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/coresight/register_layout.h"

namespace pmufab::coresight {

namespace {

const CoreSightPmuOptions& checked(const CoreSightPmuOptions& options) {
  if (options.width < 8 || options.width > 64) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: width is 8 to 64 bits, not {}", options.width));
  }
  if (options.ext64 && options.width <= 32) {
    throw std::invalid_argument(
        fmt::format("CoreSight PMU: ext64 needs counters wider than 32 bits, width is {}", options.width));
  }
  if (options.counters == 0 || options.counters > options.max_counters()) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: counters is 1 to {} with this width and layout, not {}",
                                            options.max_counters(), options.counters));
  }
  if (options.implementation_defined > 32) {
    throw std::invalid_argument(fmt::format("CoreSight PMU: implementation_defined is 0 to 32 registers, not {}",
                                            options.implementation_defined));
  }
  return options;
}

CounterBlock::Options block_of(const CoreSightPmuOptions& options, const char* name) {
  CounterBlock::Options block{.name = name, .width = options.width, .counters = {}};
  for (unsigned counter = 0; counter < options.counter_numbers(); ++counter)
    block.counters.push_back(options.has_counter(counter));
  if (options.cycle_counter) block.cycle_counter = CoreSightPmu::kCycleCounterIndex;
  return block;
}

}  // namespace

CoreSightPmu::CoreSightPmu(const sc_core::sc_module_name& name, const CoreSightPmuOptions& options,
                           const ClockDomain& clock, InputResolver resolve)
    : sc_core::sc_module(name),
      socket("socket"),
      page1("page1"),
      options_(checked(options)),
      page0_bank_({.name = std::string(this->name()) + ".page0", .size = kPageSize, .latency = options.latency},
                  page0_layout(options)),
      resolve_(std::move(resolve)),
      counters_(block_of(options_, this->name()), clock,
                [this](unsigned counter) { return resolve_ ? resolve_(program(counter)) : CounterInput{}; }) {
  if (options_.dual_page) {
    page1_bank_ = std::make_unique<RegisterBank>(
        RegisterBank::Options{
            .name = std::string(this->name()) + ".page1", .size = kPageSize, .latency = options.latency},
        page1_layout(options));
  }
  build_registers();
  socket.register_b_transport(this, &CoreSightPmu::page0_transport);
  socket.register_transport_dbg(this, &CoreSightPmu::page0_debug);
  page1.register_b_transport(this, &CoreSightPmu::page1_transport);
  page1.register_transport_dbg(this, &CoreSightPmu::page1_debug);
}

CoreSightPmu::~CoreSightPmu() = default;

void CoreSightPmu::page0_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  page0_bank_.b_transport(payload, delay);
}

void CoreSightPmu::page1_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (page1_bank_) {
    page1_bank_->b_transport(payload, delay);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

unsigned CoreSightPmu::page0_debug(tlm::tlm_generic_payload& payload) { return page0_bank_.transport_dbg(payload); }

unsigned CoreSightPmu::page1_debug(tlm::tlm_generic_payload& payload) {
  return page1_bank_ ? page1_bank_->transport_dbg(payload) : 0;
}

void CoreSightPmu::reset() {
  counters_.reset();
  page0_bank_.reset();
  if (page1_bank_) page1_bank_->reset();
}

std::uint64_t CoreSightPmu::guest_errors() const noexcept {
  return page0_bank_.guest_errors() + (page1_bank_ ? page1_bank_->guest_errors() : 0);
}

std::vector<const RegisterBank*> CoreSightPmu::pages() const {
  std::vector<const RegisterBank*> pages{&page0_bank_};
  if (page1_bank_) pages.push_back(&*page1_bank_);
  return pages;
}

}  // namespace pmufab::coresight
