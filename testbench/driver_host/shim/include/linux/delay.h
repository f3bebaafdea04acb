#ifndef PMUFAB_LINUX_DELAY_H
#define PMUFAB_LINUX_DELAY_H
/* Time passes on the platform only in register accesses: waiting takes none. */
#define udelay(time) ((void)(time))
#define ndelay(time) ((void)(time))
#define mdelay(time) ((void)(time))
#define usleep_range(low, high) ((void)(low), (void)(high))
#define msleep(time) ((void)(time))
#endif
