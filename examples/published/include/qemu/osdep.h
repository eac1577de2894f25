// What util/event.c of QEMU needs of the headers that QEMU's configuration makes, for a host without futexes.
#ifndef PUBLISHED_QEMU_OSDEP_H
#define PUBLISHED_QEMU_OSDEP_H
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "qemu/compiler.h"
#define qemu_build_assert(condition) ((void)0)
#include "qemu/atomic.h"
#endif
