// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace pmufab::scoreboard {

/// What was seen on wires, for judges that follow it: records, judged in the order in which they came.
///
/// Without a second thread a record is judged at once. With one, records are collected in blocks, and that thread judges
/// block after block while the models go on. Before anything else is asked of a judge, catch_up() lets all be judged. So
/// what judges know at such a moment, and with it each result, is the same with the thread and without. Judges must not
/// look at models, clocks or SystemC when they are called, because those may be ahead.
class Backlog {
 public:
  Backlog();
  ~Backlog();
  Backlog& operator=(Backlog&&) = delete;

  /// Let a second thread judge. Before the first record. It begins with the first full block; if the system has no thread
  /// left by then, records are judged here.
  void use_thread();

  /// Add what was seen. Not while a judge is called.
  /// @tparam see   a member function of the judge, with these parameters; it is called now or later, maybe by the other
  ///               thread
  /// @param record, items  copied, so they must not point at anything
  template <auto see, typename Judge, typename Record, typename Item>
  void add(Judge& judge, const Record& record, std::span<const Item> items) {
    if (lane_ == nullptr) {
      (judge.*see)(record, items);
      return;
    }
    std::byte* const place = begin<Record>(&call<see, Judge, Record, Item>, &judge, record, padded(items.size_bytes()));
    if (!items.empty()) std::memcpy(place, items.data(), items.size_bytes());
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= kAlignment);
    static_assert(sizeof(Item) % kAlignment == 0, "the number of items follows from the size of a record");
  }
  template <auto see, typename Judge, typename Record>
  void add(Judge& judge, const Record& record) {
    if (lane_ == nullptr) {
      (judge.*see)(record);
      return;
    }
    begin<Record>(&call_alone<see, Judge, Record>, &judge, record, 0);
  }

  /// Return when all is judged. Not for a judge that is being called.
  /// @throws what a judge has thrown, once, as add() may; nothing more is judged from then on
  void catch_up() {
    if (lane_ != nullptr) judge_all();
  }
  /// End the other thread. What is not judged yet will not be.
  void abandon() noexcept;

 private:
  static constexpr std::size_t kAlignment = 8;

  /// What a block has before each record.
  struct Header {
    void (*call)(void* judge, const std::byte* record, std::size_t bytes);
    void* judge;
    std::size_t bytes;  // of the record and its items
  };
  class Lane;

  static constexpr std::size_t padded(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }
  template <auto see, typename Judge, typename Record>
  static void call_alone(void* judge, const std::byte* record, std::size_t /*bytes*/) {
    (static_cast<Judge*>(judge)->*see)(*reinterpret_cast<const Record*>(record));
  }
  template <auto see, typename Judge, typename Record, typename Item>
  static void call(void* judge, const std::byte* record, std::size_t bytes) {
    constexpr std::size_t kRecord = padded(sizeof(Record));
    const std::span items(reinterpret_cast<const Item*>(record + kRecord), (bytes - kRecord) / sizeof(Item));
    (static_cast<Judge*>(judge)->*see)(*reinterpret_cast<const Record*>(record), items);
  }

  /// Begin a record. @return where its items go
  template <typename Record>
  std::byte* begin(decltype(Header::call) function, void* judge, const Record& record, std::size_t items) {
    static_assert(std::is_trivially_copyable_v<Record> && alignof(Record) <= kAlignment);
    const Header header{function, judge, padded(sizeof(Record)) + items};
    const std::size_t size = sizeof header + header.bytes;
    if (size > room_) next_block(size);
    std::byte* const place = place_;
    place_ += size;
    room_ -= size;
    std::memcpy(place, &header, sizeof header);
    std::memcpy(place + sizeof header, &record, sizeof record);
    return place + sizeof header + padded(sizeof(Record));
  }
  /// Let what is collected be judged, and find room for `size` bytes.
  void next_block(std::size_t size);
  void begin_block();
  void judge_all();

  std::byte* place_ = nullptr;  // where the next record goes
  std::size_t room_ = 0;        // bytes there
  std::unique_ptr<Lane> lane_;  // null: no second thread
};

}  // namespace pmufab::scoreboard
