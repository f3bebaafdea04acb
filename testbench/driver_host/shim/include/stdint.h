/* abi.h asks for this header; in a driver module its types are the kernel's. */
#include <linux/types.h>
