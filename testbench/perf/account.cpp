// SPDX-License-Identifier: Apache-2.0
#include "testbench/perf/account.h"

#include <algorithm>

#include <fmt/format.h>

#include "tlm/spec/printable.h"

namespace pmufab::perf {
namespace {

using scoreboard::Account;
using scoreboard::LossCause;
using Json = nlohmann::ordered_json;

std::uint64_t magnitude(std::int64_t amount) noexcept {
  const auto bits = static_cast<std::uint64_t>(amount);
  return amount < 0 ? -bits : bits;
}

}  // namespace

std::uint64_t scaled_up(std::uint64_t count, const Turns& turns) {
  if (turns.running >= turns.enabled) return count;
  if (turns.running == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(turns.enabled) /
                                    static_cast<double>(turns.running));
}

Account with_reported(Account account, std::uint64_t reported) {
  for (auto cause = static_cast<std::size_t>(scoreboard::kFirstOfReporting); cause < scoreboard::kLossCauses; ++cause)
    account.loss.amount[cause] = 0;
  account.loss[LossCause::unexplained] = static_cast<std::int64_t>(account.counted - reported);
  return account;
}

void add_account(Json& json, const std::optional<Account>& account, std::optional<std::uint64_t> reported,
                 const Turns& turns) {
  for (const char* const key : {"happened", "counted", "reported", "scaled", "loss"}) json[key] = nullptr;
  if (reported) {
    json["reported"] = *reported;
    json["scaled"] = scaled_up(*reported, turns);
  }
  if (!account) return;
  json["happened"] = account->happened;
  json["counted"] = account->counted;
  json["loss"] = Json::object();
  for (std::size_t i = 0; i < scoreboard::kLossCauses; ++i)
    json["loss"][std::string(to_string(static_cast<LossCause>(i)))] = account->loss.amount[i];
}

std::optional<Account> account_from_json(const Json& json) {
  if (!json.contains("loss") || json.at("loss").is_null()) return std::nullopt;
  Account account;
  json.at("happened").get_to(account.happened);
  json.at("counted").get_to(account.counted);
  for (std::size_t i = 0; i < scoreboard::kLossCauses; ++i)
    json.at("loss").at(std::string(to_string(static_cast<LossCause>(i)))).get_to(account.loss.amount[i]);
  return account;
}

bool has_blind_time(const Account& account) noexcept {
  constexpr std::uint64_t kPart = 20;  // one in so many
  const scoreboard::Losses& loss = account.loss;
  return loss[LossCause::handler] != 0 || loss[LossCause::reading] != 0 || loss[LossCause::not_scheduled] != 0 ||
         magnitude(loss[LossCause::disabled]) > account.happened / kPart;
}

std::string describe(const scoreboard::Losses& loss) {
  std::string text;
  for (std::size_t i = 0; i < scoreboard::kLossCauses; ++i) {
    if (loss.amount[i] == 0) continue;
    std::string cause(to_string(static_cast<LossCause>(i)));
    std::ranges::replace(cause, '_', ' ');
    text += fmt::format("{}{}{} {}", text.empty() ? "lost: " : ", ", loss.amount[i] < 0 ? "-" : "",
                        with_separators(magnitude(loss.amount[i])), cause);
  }
  return text;
}

std::string with_losses(std::string note, const scoreboard::Losses& loss) {
  const std::string lost = describe(loss);
  if (!lost.empty()) note += (note.empty() ? "" : "; ") + lost;
  return note;
}

}  // namespace pmufab::perf
