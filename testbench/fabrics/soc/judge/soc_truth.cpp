// SPDX-License-Identifier: Apache-2.0
#include "testbench/fabrics/soc/judge/soc_truth.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "models/soc/wire/fabric_sources.h"
#include "testbench/fabrics/cxl/judge/cxl_tally.h"
#include "testbench/judge/equal_counts.h"

namespace pmufab::scoreboard {

void SocWires::tell(unsigned number, const Occurrence& occurrence, Picoseconds when) {
  Source& source = sources_.at(number);
  for (Listener* const listener : source.listeners) listener->hear(occurrence, when);
  if (!source.keeps || occurrence.duration == 0) return;
  if (source.lasting.size() >= source.room) {
    std::erase_if(source.lasting, [&](const Lasting& one) { return one.end <= when; });
    source.room = std::max<std::size_t>(256, 2 * source.lasting.size());
  }
  source.lasting.push_back({occurrence, when, when + occurrence.duration});
}

SocTruth::SocTruth(SocMeaning meaning, unsigned source, std::shared_ptr<SocWires> wires, const ExactClock& clock)
    : meaning_(std::move(meaning)), source_(source), wires_(std::move(wires)), clock_(clock) {
  if (listens()) wires_->add(source_, *this);
  if (meaning_.kind != SocMeaning::Kind::outstanding) return;
  for (const SocWires::Lasting& one : wires_->lasting(source_)) {
    if (meaning_.counts(one.occurrence)) lasting_.push_back({one.begin, one.end, one.occurrence.repeat});
  }
}

SocTruth::~SocTruth() {
  if (listens()) wires_->remove(source_, *this);
}

bool SocTruth::listens() const noexcept {
  return meaning_.kind != SocMeaning::Kind::nothing && meaning_.kind != SocMeaning::Kind::cycles;
}

std::uint64_t amount_of(const SocMeaning& meaning, const Occurrence& occurrence) {
  if (meaning.kind != SocMeaning::Kind::sum) return occurrence.repeat;
  const std::uint64_t value = occurrence.attributes.at(meaning.attribute);
  std::uint64_t units = value / meaning.unit;
  if (units * meaning.unit < value) ++units;
  return occurrence.repeat * units;
}

void SocTruth::hear(const Occurrence& occurrence, Picoseconds when) {
  if (meaning_.kind == SocMeaning::Kind::outstanding) {
    if (occurrence.duration == 0 || !meaning_.counts(occurrence)) return;
    if (lasting_.size() >= room_) {
      settle_lasting(when);
      room_ = std::max(kLeastRoom, 2 * lasting_.size());
    }
    lasting_.push_back({when, when + occurrence.duration, occurrence.repeat});
    return;
  }
  all_ += amount_of(meaning_, occurrence);
  if (meaning_.counts(occurrence)) count_ += amount_of(meaning_, occurrence);
}

/// Of those that have ended nothing more will be added.
void SocTruth::settle_lasting(Picoseconds when) {
  std::erase_if(lasting_, [&](const Lasting& one) {
    if (one.end > when) return false;
    count_ += one.repeat * clock_.edges_in(one.begin, one.end);
    return true;
  });
}

Mark SocTruth::mark(Picoseconds when) {
  if (meaning_.kind != SocMeaning::Kind::outstanding) return {when, count_};
  settle_lasting(when);
  std::uint64_t so_far = count_;
  for (const Lasting& one : lasting_) so_far += one.repeat * clock_.edges_in(one.begin, when);
  return {when, so_far};
}

std::uint64_t SocTruth::count(const Span& span) const {
  switch (meaning_.kind) {
    case SocMeaning::Kind::nothing:
      return 0;
    case SocMeaning::Kind::cycles:
      return clock_.edges_in(span.begin.when, span.end.when) * meaning_.times;
    case SocMeaning::Kind::occurrences:
    case SocMeaning::Kind::sum:
    case SocMeaning::Kind::outstanding:
      break;
  }
  return (span.end.position - span.begin.position) * meaning_.times;
}

void SocTruth::describe(std::span<const Span> /*spans*/, EventResult& result) const {
  if (meaning_.kind == SocMeaning::Kind::nothing) result.remark = kCountsNothing;
}

std::string SocTruth::explain(std::span<const Span> spans, std::uint64_t driver) const {
  EqualCounts equal(driver);
  equal.offer(all_counted_, "everything at its source, without filters");
  std::uint64_t cycles = settled_cycles_;
  std::uint64_t counted = 0;
  for (const Span& span : spans) {
    cycles += clock_.edges_in(span.begin.when, span.end.when);
    counted += count(span);
  }
  if (cause_of_difference(spans, counted, driver)) return "its counter saturates, and may have been full";
  if (meaning_.kind != SocMeaning::Kind::cycles) equal.offer(cycles, "cycles");
  return equal.text();
}

namespace {

/// An event whose places are counted by the judge of a fabric. Its marks are counts so far.
class SocTallyTruth final : public EventTruth {
 public:
  /// @param so_far  the sum of the places that pass, before an instant
  SocTallyTruth(std::string text, std::function<std::uint64_t(Picoseconds when)> so_far)
      : text_(std::move(text)), so_far_(std::move(so_far)) {}

  [[nodiscard]] std::string text() const override { return text_; }
  [[nodiscard]] Mark mark(Picoseconds when) override { return {when, so_far_(when)}; }
  [[nodiscard]] std::uint64_t count(const Span& span) const override { return span.end.position - span.begin.position; }
  void describe(std::span<const Span> /*spans*/, EventResult& /*result*/) const override {}
  [[nodiscard]] std::string explain(std::span<const Span> /*spans*/, std::uint64_t /*driver*/) const override {
    return {};
  }

 private:
  std::string text_;
  std::function<std::uint64_t(Picoseconds when)> so_far_;
};

}  // namespace

std::unique_ptr<EventTruth> ucf_truth(const SocMeaning& meaning, UcfEvent event, unsigned socket,
                                      const Tegra410Judge& judge) {
  std::vector<std::pair<Source, Destination>> places;
  for (unsigned source = 0; source < kSources; ++source) {
    for (unsigned destination = 0; destination < kDestinations; ++destination) {
      Occurrence occurrence;
      occurrence.attributes[soc::ucf_source::source] = source;
      occurrence.attributes[soc::ucf_source::destination] = destination;
      if (meaning.counts(occurrence))
        places.emplace_back(static_cast<Source>(source), static_cast<Destination>(destination));
    }
  }
  return std::make_unique<SocTallyTruth>(meaning.text,
                                         [places = std::move(places), event, socket, &judge](Picoseconds /*when*/) {
                                           const EventMatrix& amounts = judge.tally(socket)[event];
                                           std::uint64_t so_far = 0;
                                           for (const auto& [source, destination] : places)
                                             so_far += amounts.at(source, destination);
                                           return so_far;
                                         });
}

std::unique_ptr<EventTruth> message_truth(const SocMeaning& meaning, const CxlJudge* judge) {
  struct Place {
    const CxlTally* tally;
    std::uint16_t group;
    unsigned opcode;
    unsigned decoder;
  };
  std::vector<Place> places;
  namespace attribute = soc::cxl_message_source;
  for (unsigned component = 0; judge != nullptr && component < judge->components(); ++component) {
    Occurrence message;
    message.attributes[attribute::component] = component;
    for (std::uint16_t group = 0x10; group <= 0x25; ++group) {
      if (!CxlTally::has(group)) continue;
      message.attributes[attribute::group] = group;
      for (unsigned opcode = 0; opcode < CxlTally::kEvents; ++opcode) {
        message.attributes[attribute::opcode] = opcode;
        for (unsigned decoder = 0; decoder <= CxlTally::kNoDecoder; ++decoder) {
          message.attributes[attribute::decoder] = decoder == CxlTally::kNoDecoder ? attribute::kNoDecoder : decoder;
          if (meaning.counts(message)) places.push_back({&judge->messages(component), group, opcode, decoder});
        }
      }
    }
  }
  return std::make_unique<SocTallyTruth>(meaning.text, [places = std::move(places)](Picoseconds /*when*/) {
    std::uint64_t so_far = 0;
    for (const Place& place : places) so_far += place.tally->of(place.group, place.opcode, place.decoder);
    return so_far;
  });
}

SocCommandTruth::SocCommandTruth(SocMeaning meaning, const CxlJudge* judge)
    : meaning_(std::move(meaning)), commands_(1) {
  for (unsigned component = 0; judge != nullptr && component < judge->components(); ++component) {
    ReferenceDdr* const memory = judge->memory(component);
    if (memory == nullptr) continue;
    memory->add(ears_.emplace_back(*this, component, *memory));
  }
}

SocCommandTruth::~SocCommandTruth() {
  for (Ear& ear : ears_) ear.memory.remove(ear);
}

void SocCommandTruth::hear(unsigned component, const DdrCommand& command) {
  namespace attribute = soc::cxl_ddr_source;
  if (command.group != kDdrGroup) return;
  Occurrence occurrence;
  occurrence.attributes[attribute::component] = component;
  occurrence.attributes[attribute::command] = command.bit;
  occurrence.attributes[attribute::channel] = command.channel;
  occurrence.attributes[attribute::rank] = command.rank;
  occurrence.attributes[attribute::bank_group] = command.whole_rank ? 0 : command.bank_group;
  occurrence.attributes[attribute::bank] = command.whole_rank ? 0 : command.bank;
  if (!meaning_.counts(occurrence)) return;
  commands_.add({command.when, 1});
}

void SocCommandTruth::settle_commands() { commands_.settle(final_before()); }

Picoseconds SocCommandTruth::final_before() const {
  const auto last = std::min_element(ears_.begin(), ears_.end(),
                                     [](const Ear& one, const Ear& other) { return one.passed < other.passed; });
  return last == ears_.end() ? EventTruth::final_before() : last->passed;
}

Mark SocCommandTruth::mark(Picoseconds when) {
  // Marks may lie slightly ahead of what happens.
  for (Ear& ear : ears_) {
    if (when > ReferenceDdr::kMemory) ear.memory.advance(when - ReferenceDdr::kMemory);
  }
  return {when, commands_.mark(when)};
}

std::uint64_t SocCommandTruth::count(const Span& span) const {
  for (const Ear& ear : ears_) ear.memory.advance(span.end.when);
  return commands_.at(span.end.position) - commands_.at(span.begin.position);
}

std::unique_ptr<EventTruth> home_truth(const SocMeaning& meaning, const std::vector<CmnJudge*>& meshes) {
  struct Place {
    CmnJudge* mesh;
    std::uint16_t node;
    unsigned event;
  };
  std::vector<Place> places;
  namespace attribute = soc::cmn_home_source;
  for (unsigned mesh = 0; mesh < meshes.size(); ++mesh) {
    for (const std::uint16_t node : meshes[mesh]->homes()) {
      for (unsigned event = 1; event <= attribute::kEvents; ++event) {
        Occurrence occurrence;
        occurrence.attributes[attribute::mesh] = mesh;
        occurrence.attributes[attribute::node] = node;
        occurrence.attributes[attribute::event] = event;
        if (meaning.counts(occurrence)) places.push_back({meshes[mesh], node, event});
      }
    }
  }
  return std::make_unique<SocTallyTruth>(meaning.text, [places = std::move(places)](Picoseconds when) {
    std::uint64_t so_far = 0;
    for (const Place& place : places) so_far += place.mesh->home_events(place.node, place.event, when);
    return so_far;
  });
}

}  // namespace pmufab::scoreboard
