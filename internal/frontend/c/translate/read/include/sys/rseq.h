#ifndef _FP_SYS_RSEQ_H
#define _FP_SYS_RSEQ_H
#include <features.h>
#define RSEQ_SIG 1392848979
#include <stddef.h>
#include <stdint.h>
#include <linux/rseq.h>
extern const ptrdiff_t __rseq_offset;
extern const unsigned int __rseq_size;
extern const unsigned int __rseq_flags;
#endif
