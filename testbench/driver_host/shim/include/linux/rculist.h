#include <linux/list.h>
