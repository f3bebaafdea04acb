// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/flit_positions.h"

#include <iterator>
#include <span>

namespace pmufab::cmn {

namespace {

// Positions: the CHI match value and mask tables of the products' technical reference manuals.
using F = FlitField;

constexpr FlitPosition kReqOfCmn600[] = {
    {F::srcid, 0, 10, 0},    {F::tgtid, 0, 10, 0},     {F::returnnid, 0, 21, 11}, {F::endian, 0, 22, 22},
    {F::opcode, 0, 36, 31},  {F::size, 0, 39, 37},     {F::ns, 0, 40, 40},        {F::allowretry, 0, 41, 41},
    {F::order, 0, 43, 42},   {F::pcrdtype, 0, 47, 44}, {F::lpid, 0, 52, 48},      {F::tracetag, 0, 54, 54},
    {F::rsvdc, 0, 62, 55},   {F::qos, 1, 3, 0},        {F::addr, 1, 51, 4},       {F::likelyshared, 1, 52, 52},
    {F::memattr, 1, 56, 53}, {F::snpattr, 1, 57, 57},  {F::excl, 1, 58, 58},      {F::snoopme, 1, 58, 58},
    {F::tracetag, 1, 59, 59}};
constexpr FlitPosition kReqOfCmn700[] = {{F::srcid, 0, 10, 0},
                                         {F::tgtid, 0, 10, 0},
                                         {F::returnnid, 0, 21, 11},
                                         {F::stashnid, 0, 21, 11},
                                         {F::stashtgtvalid, 0, 22, 22},
                                         {F::endian, 0, 22, 22},
                                         {F::opcode, 0, 35, 29},
                                         {F::size, 0, 38, 36},
                                         {F::ns, 0, 39, 39},
                                         {F::allowretry, 0, 40, 40},
                                         {F::order, 0, 42, 41},
                                         {F::pcrdtype, 0, 46, 43},
                                         {F::lpid, 0, 51, 47},
                                         {F::groupidext, 0, 54, 52},
                                         {F::expcompack, 0, 55, 55},
                                         {F::rsvdc, 0, 63, 56},
                                         {F::qos, 1, 3, 0},
                                         {F::addr, 1, 55, 4},
                                         {F::likelyshared, 1, 56, 56},
                                         {F::memattr, 1, 60, 57},
                                         {F::snpattr, 1, 61, 61},
                                         {F::excl, 1, 62, 62},
                                         {F::snoopme, 1, 62, 62},
                                         {F::tracetag, 1, 63, 63},
                                         {F::srcid, 2, 10, 0},
                                         {F::tgtid, 2, 10, 0},
                                         {F::opcode, 2, 17, 11},
                                         {F::mpam, 2, 28, 18},
                                         {F::tagop, 2, 30, 29}};
/// Of CMN-700 without TagOp, which is its last.
constexpr std::span<const FlitPosition> kReqOfCmn650 = std::span(kReqOfCmn700).first<std::size(kReqOfCmn700) - 1>();
constexpr FlitPosition kReqOfS3R0[] = {
    {F::srcid, 0, 10, 0},          {F::tgtid, 0, 10, 0},     {F::returnnid, 0, 21, 11},  {F::stashnid, 0, 21, 11},
    {F::stashtgtvalid, 0, 22, 22}, {F::endian, 0, 22, 22},   {F::deep, 0, 22, 22},       {F::opcode, 0, 35, 29},
    {F::size, 0, 38, 36},          {F::ns, 0, 39, 39},       {F::allowretry, 0, 40, 40}, {F::order, 0, 42, 41},
    {F::pcrdtype, 0, 46, 43},      {F::lpid, 0, 51, 47},     {F::groupidext, 0, 54, 52}, {F::expcompack, 0, 55, 55},
    {F::rsvdc, 0, 63, 56},         {F::qos, 1, 3, 0},        {F::addr, 1, 55, 4},        {F::likelyshared, 1, 56, 56},
    {F::memattr, 1, 60, 57},       {F::snpattr, 1, 61, 61},  {F::excl, 1, 62, 62},       {F::snoopme, 1, 62, 62},
    {F::cah, 1, 62, 62},           {F::tracetag, 1, 63, 63}, {F::srcid, 2, 10, 0},       {F::tgtid, 2, 10, 0},
    {F::opcode, 2, 17, 11},        {F::mpam, 2, 29, 18},     {F::tagop, 2, 31, 30},      {F::allowretry, 2, 32, 32}};
constexpr FlitPosition kReqOfS3R2[] = {
    {F::srcid, 0, 10, 0},          {F::tgtid, 0, 10, 0},     {F::returnnid, 0, 21, 11},  {F::stashnid, 0, 21, 11},
    {F::stashtgtvalid, 0, 22, 22}, {F::endian, 0, 22, 22},   {F::deep, 0, 22, 22},       {F::opcode, 0, 35, 29},
    {F::size, 0, 38, 36},          {F::ns, 0, 39, 39},       {F::nse, 0, 40, 40},        {F::order, 0, 42, 41},
    {F::pcrdtype, 0, 46, 43},      {F::lpid, 0, 51, 47},     {F::groupidext, 0, 54, 52}, {F::expcompack, 0, 55, 55},
    {F::rsvdc, 0, 63, 56},         {F::qos, 1, 3, 0},        {F::addr, 1, 55, 4},        {F::likelyshared, 1, 56, 56},
    {F::memattr, 1, 60, 57},       {F::snpattr, 1, 61, 61},  {F::excl, 1, 62, 62},       {F::snoopme, 1, 62, 62},
    {F::cah, 1, 62, 62},           {F::tracetag, 1, 63, 63}, {F::srcid, 2, 10, 0},       {F::tgtid, 2, 10, 0},
    {F::opcode, 2, 17, 11},        {F::mpam, 2, 32, 18},     {F::tagop, 2, 34, 33},      {F::allowretry, 2, 35, 35},
    {F::pbha, 2, 39, 36},          {F::mecid, 2, 55, 40},    {F::streamid, 2, 55, 40},   {F::secsid, 2, 56, 56}};

constexpr FlitPosition kRspOfCmn600[] = {{F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},    {F::tgtid, 0, 14, 4},
                                         {F::opcode, 0, 18, 15},   {F::resperr, 0, 20, 19}, {F::resp, 0, 23, 21},
                                         {F::fwdstate, 0, 26, 24}, {F::dbid, 0, 34, 27},    {F::pcrdtype, 0, 38, 35},
                                         {F::tracetag, 0, 39, 39}, {F::devevent, 0, 41, 40}};
constexpr FlitPosition kRspOfCmn650[] = {{F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},     {F::tgtid, 0, 14, 4},
                                         {F::opcode, 0, 19, 15},   {F::resperr, 0, 21, 20},  {F::resp, 0, 24, 22},
                                         {F::fwdstate, 0, 27, 25}, {F::cbusy, 0, 30, 28},    {F::dbid, 0, 42, 31},
                                         {F::pcrdtype, 0, 46, 43}, {F::tracetag, 0, 49, 49}, {F::devevent, 0, 51, 50}};
constexpr FlitPosition kRspOfCmn700[] = {{F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},    {F::tgtid, 0, 14, 4},
                                         {F::opcode, 0, 19, 15},   {F::resperr, 0, 21, 20}, {F::resp, 0, 24, 22},
                                         {F::fwdstate, 0, 27, 25}, {F::cbusy, 0, 30, 28},   {F::dbid, 0, 42, 31},
                                         {F::pcrdtype, 0, 46, 43}, {F::tagop, 0, 48, 47},   {F::tracetag, 0, 49, 49},
                                         {F::devevent, 0, 51, 50}};
constexpr FlitPosition kRspOfS3[] = {{F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},     {F::tgtid, 0, 14, 4},
                                     {F::opcode, 0, 19, 15},   {F::resperr, 0, 21, 20},  {F::resp, 0, 24, 22},
                                     {F::fwdstate, 0, 27, 25}, {F::datapull, 0, 27, 25}, {F::cbusy, 0, 30, 28},
                                     {F::dbid, 0, 42, 31},     {F::pcrdtype, 0, 46, 43}, {F::tagop, 0, 48, 47},
                                     {F::tracetag, 0, 49, 49}, {F::devevent, 0, 51, 50}};

}  // namespace

std::span<const FlitPosition> req_positions(FlitFormat format) noexcept {
  switch (format) {
    case FlitFormat::cmn600:
      return kReqOfCmn600;
    case FlitFormat::cmn650:
      return kReqOfCmn650;
    case FlitFormat::cmn700:
      return kReqOfCmn700;
    case FlitFormat::s3_r0:
      return kReqOfS3R0;
    case FlitFormat::s3_r2:
      return kReqOfS3R2;
  }
  return {};
}

std::span<const FlitPosition> rsp_positions(FlitFormat format) noexcept {
  switch (format) {
    case FlitFormat::cmn600:
      return kRspOfCmn600;
    case FlitFormat::cmn650:
      return kRspOfCmn650;
    case FlitFormat::cmn700:
      return kRspOfCmn700;
    case FlitFormat::s3_r0:
    case FlitFormat::s3_r2:
      return kRspOfS3;
  }
  return {};
}

}  // namespace pmufab::cmn
