#ifndef _FP_SCHED_H
#define _FP_SCHED_H
int sched_yield(void);
#endif
