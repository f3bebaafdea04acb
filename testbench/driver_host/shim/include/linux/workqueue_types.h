#include <linux/workqueue.h>
