// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/backlog.h"

#include <array>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace pmufab::scoreboard {
namespace {

/// While it exists, a thread that is started gets no signals but those of profilers and of its own faults.
class NoSignals {
 public:
  NoSignals() {
    sigset_t others;
    sigfillset(&others);
    for (const int signal : {SIGPROF, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigdelset(&others, signal);
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals& operator=(NoSignals&&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

/// The blocks, and the thread that judges them.
class Backlog::Lane {
 public:
  Lane() {
    for (Block& block : blocks_) block.bytes = std::make_unique_for_overwrite<std::byte[]>(kBlock);
  }
  ~Lane() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  Lane& operator=(Lane&&) = delete;

  /// Start the thread, if it does not run. @return whether it does
  bool start() {
    if (thread_.joinable()) return true;
    try {
      const NoSignals none;
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }
  /// Let the thread judge the first `used` bytes of the block that is being filled. The next is free upon return.
  /// @throws what a judge has thrown
  void hand_over(std::size_t used) {
    std::unique_lock lock(mutex_);
    blocks_[full_ % kBlocks].used = used;
    ++full_;
    is_behind_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return full_ - judged_ < kBlocks; });
    rethrow();
  }
  /// Return when the thread has judged what was handed over. @throws what a judge has thrown
  void wait() {
    if (!is_behind_) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return judged_ == full_; });
    is_behind_ = false;
    rethrow();
  }
  /// Judge records in this thread, when the other has nothing to do.
  void judge_here(std::span<const std::byte> records) {
    if (has_failed_) return;
    try {
      judge(records);
    } catch (...) {
      has_failed_ = true;
      throw;
    }
  }
  /// @return the block that is being filled
  [[nodiscard]] std::byte* filling() { return blocks_[full_ % kBlocks].bytes.get(); }

  /// Bytes. In smaller blocks, threads wait for each other more often.
  static constexpr std::size_t kBlock = std::size_t{512} * 1024;

 private:
  static constexpr std::size_t kBlocks = 4;
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
  };

  static void judge(std::span<const std::byte> records) {
    while (!records.empty()) {
      const auto& header = *reinterpret_cast<const Header*>(records.data());
      header.call(header.judge, records.data() + sizeof header, header.bytes);
      records = records.subspan(sizeof header + header.bytes);
    }
  }

  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_ending_ || judged_ != full_; });
      if (is_ending_) return;
      const Block& block = blocks_[judged_ % kBlocks];
      lock.unlock();
      std::exception_ptr exception;
      try {
        judge_here({block.bytes.get(), block.used});
      } catch (...) {
        exception = std::current_exception();
      }
      lock.lock();
      if (exception) exception_ = exception;
      ++judged_;
      changed_.notify_all();
    }
  }

  std::array<Block, kBlocks> blocks_;
  bool is_behind_ = false;  // the thread may not have judged all it got
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t full_ = 0;    // blocks handed over since the beginning
  std::uint64_t judged_ = 0;  // and judged
  bool is_ending_ = false;
  std::exception_ptr exception_;  // of a judge, which nobody was told yet
  bool has_failed_ = false;       // of the thread that judges: a judge has thrown, so nothing more is judged
  std::thread thread_;
};

Backlog::Backlog() = default;
Backlog::~Backlog() = default;

void Backlog::use_thread() { lane_ = std::make_unique<Lane>(); }

void Backlog::abandon() noexcept {
  lane_.reset();
  room_ = 0;
}

void Backlog::next_block(std::size_t size) {
  if (size > Lane::kBlock) throw std::length_error("a record is larger than a block");
  if (place_ == nullptr || place_ == lane_->filling()) {
    begin_block();
  } else if (lane_->start()) {
    const auto used = static_cast<std::size_t>(place_ - lane_->filling());
    room_ = 0;  // if a judge has thrown, the next record begins the next block
    place_ = nullptr;
    lane_->hand_over(used);
    begin_block();
  } else {
    judge_all();
  }
}

void Backlog::begin_block() {
  place_ = lane_->filling();
  room_ = Lane::kBlock;
}

void Backlog::judge_all() {
  lane_->wait();
  if (place_ == nullptr) return;
  const std::span<const std::byte> rest(lane_->filling(), place_);
  begin_block();
  lane_->judge_here(rest);
}

}  // namespace pmufab::scoreboard
