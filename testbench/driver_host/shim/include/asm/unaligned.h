#include <linux/unaligned.h>
