/* The words of the Linux kernel that concurrent code is written with, with the meaning that they have on x86; smp_wmb and
   the release operations order stores under PSO too. A compiler takes this file as well as fencepost does. */
#ifndef _FP_LINUX_H
#define _FP_LINUX_H
#include <fencepost/linux_atomic.h>
#include <fencepost/linux_bits.h>
#include <fencepost/linux_wait.h>
#include <fencepost/linux_locks.h>
#include <fencepost/linux_rcu.h>
#include <fencepost/linux_kernel.h>
#include <fencepost/linux_llist.h>
#endif
