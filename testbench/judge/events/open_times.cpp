// SPDX-License-Identifier: Apache-2.0
#include "testbench/judge/events/open_times.h"

namespace pmufab::scoreboard {

void OpenTimes::enabling() {
  is_told_ = true;
  if (state_ == State::closed) state_ = begin_ ? State::open : State::opening;
}

void OpenTimes::wait(const Mark& now, LossCause cause) {
  state_ = State::open;
  begin_ = now;
  gap_.push_back({now, cause});
}

bool OpenTimes::disabling() {
  is_told_ = true;
  if (state_ == State::opening) state_ = State::closed;
  if (state_ != State::open) return false;
  if (!gap_.empty()) return true;
  state_ = State::closing;
  return false;
}

void OpenTimes::end(const Mark& now) {
  add_gap(gaps_, now);
  finish(now);
}

void OpenTimes::disabled() {
  if (state_ != State::closing) return;
  // A driver may let it count on: the window ends when it stops.
  state_ = State::closed;
  if (!gap_.empty()) finish(gap_.front().mark);
}

void OpenTimes::change(const Mark& now, LossCause cause) {
  // If the window may yet end where this gap begins, nobody knows whether its parts are in it.
  if (is_told_) {
    add_gap(gaps_, now);
    gap_.clear();
  }
  gap_.push_back({now, cause});
}

bool OpenTimes::counts_from(const Mark& mark) {
  if (!gap_.empty()) {
    add_gap(gaps_, mark);
    gap_.clear();
  }
  if (begin_) return false;
  // If the user does not want it, as after CPU hotplug, the window ends when it stops.
  if (!is_told_ || state_ == State::opening) state_ = State::open;
  begin_ = mark;
  return true;
}

bool OpenTimes::counts_until(const Mark& mark, LossCause cause) {
  if (!begin_) return false;
  if (state_ == State::closed) {
    finish(mark);
    return true;
  }
  gap_.push_back({mark, cause});
  return false;
}

void OpenTimes::finish(const Mark& end) {
  windows_.push_back({*begin_, end});
  begin_.reset();
  gap_.clear();
  state_ = State::closed;
}

template <typename Gaps>
void OpenTimes::add_gap(Gaps& gaps, const Mark& end) const {
  for (std::size_t part = 0; part < gap_.size(); ++part)
    gaps.push_back({{gap_[part].mark, part + 1 < gap_.size() ? gap_[part + 1].mark : end}, gap_[part].cause});
}

std::vector<Mark> OpenTimes::beginnings() const {
  std::vector<Mark> all;
  for (const Span& window : windows_) all.push_back(window.begin);
  if (begin_) all.push_back(*begin_);
  return all;
}

std::vector<Span> OpenTimes::windows(const std::optional<Mark>& now) const {
  std::vector<Span> all(windows_.begin(), windows_.end());
  if (!begin_) return all;
  if (now) {
    all.push_back({*begin_, *now});
  } else if (!gap_.empty()) {
    all.push_back({*begin_, gap_.front().mark});
  }
  return all;
}

std::vector<OpenTimes::Gap> OpenTimes::gaps(const std::optional<Mark>& now) const {
  std::vector<Gap> all(gaps_.begin(), gaps_.end());
  if (now && lasts()) add_gap(all, *now);
  return all;
}

}  // namespace pmufab::scoreboard
