// SPDX-License-Identifier: Apache-2.0
#include "models/cmn/pmu/flit_positions.h"

namespace pmufab::cmn {

namespace {

// Positions: the CHI match value and mask tables of the products' technical reference manuals.
using F = FlitField;

constexpr FlitPosition kSnpOfCmn600[] = {
    {F::srcid, 0, 10, 0},     {F::opcode, 0, 23, 19},   {F::ns, 0, 24, 24},          {F::donotgotosd, 0, 25, 25},
    {F::rettosrc, 0, 26, 26}, {F::tracetag, 0, 27, 27}, {F::snp_addr, 0, 63, 28},    {F::srcid, 1, 10, 0},
    {F::opcode, 1, 23, 19},   {F::ns, 1, 24, 24},       {F::donotgotosd, 1, 25, 25}, {F::rettosrc, 1, 26, 26},
    {F::tracetag, 1, 27, 27}, {F::addr13, 1, 63, 32}};
constexpr FlitPosition kSnpOfCmn650[] = {
    {F::srcid, 0, 10, 0}, {F::fwdtxnid, 0, 18, 11},    {F::fwdnid, 0, 29, 19},   {F::opcode, 0, 34, 30},
    {F::ns, 0, 35, 35},   {F::donotgotosd, 0, 36, 36}, {F::rettosrc, 0, 37, 37}, {F::tracetag, 0, 38, 38},
    {F::qos, 0, 42, 39},  {F::mpam, 0, 53, 43},        {F::srcid, 1, 10, 0},     {F::snp_addr, 1, 59, 11}};
constexpr FlitPosition kSnpOfCmn700[] = {
    {F::srcid, 0, 10, 0}, {F::fwdtxnid, 0, 18, 11},    {F::fwdnid, 0, 29, 19},   {F::opcode, 0, 34, 30},
    {F::ns, 0, 35, 35},   {F::donotgotosd, 0, 36, 36}, {F::rettosrc, 0, 37, 37}, {F::tracetag, 0, 38, 38},
    {F::qos, 0, 42, 39},  {F::mpam, 0, 53, 43},        {F::srcid, 1, 10, 0},     {F::snp_addr, 1, 59, 11}};
constexpr FlitPosition kSnpOfS3R0[] = {{F::srcid, 0, 10, 0},     {F::fwdtxnid, 0, 18, 11}, {F::fwdnid, 0, 29, 19},
                                       {F::opcode, 0, 34, 30},   {F::ns, 0, 35, 35},       {F::donotgotosd, 0, 36, 36},
                                       {F::rettosrc, 0, 37, 37}, {F::tracetag, 0, 38, 38}, {F::qos, 0, 42, 39},
                                       {F::mpam, 0, 53, 43},     {F::srcid, 1, 10, 0},     {F::snp_addr, 1, 59, 11}};
constexpr FlitPosition kSnpOfS3R2[] = {{F::srcid, 0, 10, 0},        {F::fwdtxnid, 0, 18, 11}, {F::fwdnid, 0, 29, 19},
                                       {F::opcode, 0, 34, 30},      {F::ns, 0, 35, 35},       {F::nse, 0, 36, 36},
                                       {F::donotgotosd, 0, 37, 37}, {F::rettosrc, 0, 38, 38}, {F::tracetag, 0, 39, 39},
                                       {F::qos, 0, 43, 40},         {F::mecid, 0, 59, 44},    {F::streamid, 0, 59, 44},
                                       {F::snp_addr, 1, 48, 0},     {F::mpam, 1, 63, 49}};

constexpr FlitPosition kDatOfCmn600[] = {{F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},     {F::tgtid, 0, 14, 4},
                                         {F::homenid, 0, 25, 15},  {F::opcode, 0, 28, 26},   {F::resperr, 0, 30, 29},
                                         {F::resp, 0, 33, 31},     {F::fwdstate, 0, 36, 34}, {F::datasrc, 0, 36, 34},
                                         {F::dbid, 0, 44, 37},     {F::ccid, 0, 46, 45},     {F::dataid, 0, 48, 47},
                                         {F::tracetag, 0, 49, 49}, {F::poison, 0, 50, 50},   {F::chunkv, 0, 52, 51},
                                         {F::devevent, 0, 54, 53}, {F::rsvdc, 0, 62, 55}};
constexpr FlitPosition kDatOfCmn650[] = {
    {F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},    {F::tgtid, 0, 14, 4},     {F::homenid, 0, 25, 15},
    {F::opcode, 0, 29, 26},   {F::resperr, 0, 31, 30}, {F::resp, 0, 34, 32},     {F::fwdstate, 0, 38, 35},
    {F::datasrc, 0, 38, 35},  {F::stash, 0, 38, 35},   {F::cbusy, 0, 41, 39},    {F::dbid, 0, 53, 42},
    {F::ccid, 0, 55, 54},     {F::dataid, 0, 57, 56},  {F::poison, 0, 61, 58},   {F::devevent, 0, 63, 62},
    {F::srcid, 1, 10, 0},     {F::tgtid, 1, 10, 0},    {F::opcode, 1, 14, 11},   {F::resperr, 1, 16, 15},
    {F::resp, 1, 19, 17},     {F::dbid, 1, 43, 32},    {F::tracetag, 1, 44, 44}, {F::chunkv, 1, 46, 45},
    {F::devevent, 1, 48, 47}, {F::rsvdc, 1, 56, 49}};
constexpr FlitPosition kDatOfCmn700[] = {
    {F::qos, 0, 3, 0},       {F::srcid, 0, 14, 4},     {F::tgtid, 0, 14, 4},   {F::homenid, 0, 25, 15},
    {F::opcode, 0, 29, 26},  {F::resperr, 0, 31, 30},  {F::resp, 0, 34, 32},   {F::fwdstate, 0, 38, 35},
    {F::datasrc, 0, 38, 35}, {F::stash, 0, 38, 35},    {F::cbusy, 0, 41, 39},  {F::dbid, 0, 53, 42},
    {F::ccid, 0, 55, 54},    {F::dataid, 0, 57, 56},   {F::poison, 0, 61, 58}, {F::devevent, 0, 63, 62},
    {F::srcid, 1, 10, 0},    {F::tgtid, 1, 10, 0},     {F::opcode, 1, 14, 11}, {F::resperr, 1, 16, 15},
    {F::resp, 1, 19, 17},    {F::tagop, 1, 21, 20},    {F::tag, 1, 29, 22},    {F::tu, 1, 31, 30},
    {F::dbid, 1, 43, 32},    {F::tracetag, 1, 44, 44}, {F::chunkv, 1, 46, 45}, {F::devevent, 1, 48, 47},
    {F::rsvdc, 1, 56, 49}};
constexpr FlitPosition kDatOfS3R0[] = {
    {F::qos, 0, 3, 0},        {F::srcid, 0, 14, 4},    {F::tgtid, 0, 14, 4},     {F::homenid, 0, 25, 15},
    {F::opcode, 0, 29, 26},   {F::resperr, 0, 31, 30}, {F::resp, 0, 34, 32},     {F::fwdstate, 0, 39, 35},
    {F::datasrc, 0, 39, 35},  {F::stash, 0, 39, 35},   {F::cbusy, 0, 42, 40},    {F::dbid, 0, 54, 43},
    {F::ccid, 0, 56, 55},     {F::dataid, 0, 58, 57},  {F::poison, 0, 62, 59},   {F::srcid, 1, 10, 0},
    {F::tgtid, 1, 10, 0},     {F::opcode, 1, 14, 11},  {F::resperr, 1, 16, 15},  {F::resp, 1, 19, 17},
    {F::tagop, 1, 21, 20},    {F::tag, 1, 29, 22},     {F::tu, 1, 31, 30},       {F::dbid, 1, 43, 32},
    {F::tracetag, 1, 44, 44}, {F::chunkv, 1, 46, 45},  {F::devevent, 1, 48, 47}, {F::cah, 1, 49, 49},
    {F::rsvdc, 1, 57, 50}};
constexpr FlitPosition kDatOfS3R2[] = {
    {F::qos, 0, 3, 0},         {F::srcid, 0, 14, 4},     {F::tgtid, 0, 14, 4},     {F::homenid, 0, 25, 15},
    {F::opcode, 0, 29, 26},    {F::resperr, 0, 31, 30},  {F::resp, 0, 34, 32},     {F::fwdstate, 0, 42, 35},
    {F::datasrc, 0, 42, 35},   {F::datapull, 0, 43, 43}, {F::cbusy, 0, 46, 44},    {F::dbid, 0, 62, 47},
    {F::srcid, 1, 10, 0},      {F::tgtid, 1, 10, 0},     {F::opcode, 1, 14, 11},   {F::resperr, 1, 16, 15},
    {F::resp, 1, 19, 17},      {F::tagop, 1, 21, 20},    {F::tag, 1, 29, 22},      {F::tu, 1, 31, 30},
    {F::tracetag, 1, 32, 32},  {F::chunkv, 1, 34, 33},   {F::devevent, 1, 36, 35}, {F::cah, 1, 37, 37},
    {F::ccid, 1, 39, 38},      {F::dataid, 1, 41, 40},   {F::poison, 1, 45, 42},   {F::numdat, 1, 47, 46},
    {F::replicate, 1, 48, 48}, {F::rsvdc, 1, 56, 49}};

}  // namespace

std::span<const FlitPosition> snp_positions(FlitFormat format) noexcept {
  switch (format) {
    case FlitFormat::cmn600:
      return kSnpOfCmn600;
    case FlitFormat::cmn650:
      return kSnpOfCmn650;
    case FlitFormat::cmn700:
      return kSnpOfCmn700;
    case FlitFormat::s3_r0:
      return kSnpOfS3R0;
    case FlitFormat::s3_r2:
      return kSnpOfS3R2;
  }
  return {};
}

std::span<const FlitPosition> dat_positions(FlitFormat format) noexcept {
  switch (format) {
    case FlitFormat::cmn600:
      return kDatOfCmn600;
    case FlitFormat::cmn650:
      return kDatOfCmn650;
    case FlitFormat::cmn700:
      return kDatOfCmn700;
    case FlitFormat::s3_r0:
      return kDatOfS3R0;
    case FlitFormat::s3_r2:
      return kDatOfS3R2;
  }
  return {};
}

}  // namespace pmufab::cmn
