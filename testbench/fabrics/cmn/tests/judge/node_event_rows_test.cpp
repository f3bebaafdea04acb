// SPDX-License-Identifier: Apache-2.0
// The tables of the model and of the judge, row by row. They are written apart, and say the same.
#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "models/cmn/description/event_rows.h"
#include "testbench/fabrics/cmn/judge/nodes/node_event_rows.h"

namespace pmufab::scoreboard {
namespace {

using cmn::EventFilters;
using cmn::FilterKind;
using cmn::Product;

struct Release {
  Product product;
  unsigned revision;
  NodeReleases judge;
};
constexpr Release kReleases[] = {
    {Product::cmn600, 0, node_releases::k600R0},   {Product::cmn600, 2, node_releases::k600R1p2},
    {Product::cmn600, 3, node_releases::k600R1p3}, {Product::cmn600, 6, node_releases::k600R1p3},
    {Product::cmn650, 0, node_releases::k650R0},   {Product::cmn650, 3, node_releases::k650R2},
    {Product::cmn650, 4, node_releases::k650R0},   {Product::cmn700, 0, node_releases::k700R0},
    {Product::cmn700, 1, node_releases::k700R1},   {Product::cmn700, 2, node_releases::k700R2},
    {Product::cmn700, 3, node_releases::k700R2},   {Product::ci700, 0, node_releases::kCi700},
    {Product::ci700, 2, node_releases::kCi700},    {Product::s3, 0, node_releases::kS3},
    {Product::s3, 2, node_releases::kS3},          {Product::s3, 3, node_releases::kS3R2},
};

/// @return the layout by which the judge decodes a product's events
WatchpointLayout layout_of(const Release& release) {
  switch (release.product) {
    case Product::cmn600:
      return WatchpointLayout::cmn600;
    case Product::cmn650:
      return WatchpointLayout::cmn650;
    case Product::cmn700:
    case Product::ci700:
      return WatchpointLayout::cmn700;
    case Product::s3:
      break;
  }
  return release.judge == node_releases::kS3R2 ? WatchpointLayout::s3_r2 : WatchpointLayout::s3;
}

EventFilters filters_in_model(NodeFilter filter) {
  switch (filter) {
    case NodeFilter::none:
      return {};
    case NodeFilter::occupancy:
    case NodeFilter::dvm_occupancy:
      return {FilterKind::occup1};
    case NodeFilter::qos_class:
      return {FilterKind::class_occup};
    case NodeFilter::hbt_lbt:
      return {FilterKind::hbt_lbt};
    case NodeFilter::sn_home:
      return {FilterKind::sn_home};
    case NodeFilter::virtual_channel:
      return {FilterKind::snp_vc};
    case NodeFilter::enhanced:
      return {FilterKind::enhanced_hbt_lbt};
    case NodeFilter::evict_state:
      return {FilterKind::hbt_lbt, FilterKind::evict_state};
    case NodeFilter::busy:
      return {FilterKind::cbusy};
  }
  return {};
}

class NodeEventRows : public ::testing::TestWithParam<Release> {};
INSTANTIATE_TEST_SUITE_P(all, NodeEventRows, ::testing::ValuesIn(kReleases));

TEST_P(NodeEventRows, of_model_and_judge_say_the_same) {
  const Release& release = GetParam();
  ASSERT_EQ(release_of(layout_of(release), release.revision, release.product == Product::ci700), release.judge);
  unsigned rows = 0;
  for (const NodeEvent& judge : node_event_rows::kRows) {
    if (why_never(judge.type, judge.id, release.judge) != "") continue;
    const cmn::EventRow* const model = cmn::find_event(release.product, release.revision, judge.type, judge.id);
    ASSERT_NE(model, nullptr) << judge.root << " never happens in the model";
    if (model->name != judge.root) continue;  // the number has another name in other products
    const EventFilters filters = filters_in_model(node_filter(judge.type, judge.id, layout_of(release)));
    EXPECT_EQ(model->filter, filters.first) << judge.root;
    EXPECT_EQ(model->filter2, filters.second) << judge.root;
  }
  for (const cmn::EventRow& model : cmn::event_rows::kRows) {
    if (cmn::find_event(release.product, release.revision, model.node, model.id) != &model) continue;
    ++rows;
    const auto choice =
        find_node_event(fmt::format("{}_{}", node_type_name(model.node), model.name), layout_of(release));
    ASSERT_TRUE(choice) << model.name << " is unknown to the judge";
    EXPECT_EQ(choice->type, model.node) << model.name;
    EXPECT_EQ(choice->id, model.id) << model.name;
    EXPECT_EQ(why_never(model.node, model.id, release.judge), "") << model.name;
  }
  EXPECT_GT(rows, 100U);
  // Of the events that never happen, those with a filter have a row in the model.
  for (const NodeEvent& judge : node_event_rows::kRows) {
    if (judge.never.empty() || why_never(judge.type, judge.id, release.judge) != judge.never) continue;
    if ((judge.releases & release.judge) == 0) continue;
    const EventFilters filters = cmn::filters_of(release.product, release.revision, judge.type, judge.id);
    EXPECT_EQ(filters.first, filters_in_model(judge.filter).first) << judge.root;
    EXPECT_EQ(filters.second, FilterKind::none) << judge.root;
  }
}

TEST(NodeEventRows, stand_once) {
  for (const auto* row = std::begin(node_event_rows::kRows); row != std::end(node_event_rows::kRows); ++row) {
    EXPECT_NE(row->releases, 0) << row->root;
    for (const auto* other = std::begin(node_event_rows::kRows); other != row; ++other)
      EXPECT_FALSE(other->type == row->type && other->id == row->id && (other->releases & row->releases) != 0)
          << row->root;
  }
  std::vector<cmn::EventRow> rows(std::begin(cmn::event_rows::kRows), std::end(cmn::event_rows::kRows));
  rows.insert(rows.end(), std::begin(cmn::event_rows::kNeverHappen), std::end(cmn::event_rows::kNeverHappen));
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    EXPECT_FALSE(std::any_of(rows.begin(), row, [&](const cmn::EventRow& other) {
      return other.node == row->node && other.id == row->id && (other.releases & row->releases) != 0;
    })) << row->name;
  }
}

}  // namespace
}  // namespace pmufab::scoreboard
