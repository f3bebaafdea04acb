#include "models/cmn/nodes/modelled_events.h"

namespace pmufab::cmn {

std::string_view reason_of_io_event(Product /*product*/, unsigned /*revision*/, NodeType /*events*/,
                                    unsigned /*event_id*/) noexcept {
  return "events of this kind of node are not modelled yet";
}

}  // namespace pmufab::cmn
