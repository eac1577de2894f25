/* Before every file: functions of the library, and the builtins of compilers that are written with others. */
void __fp_assert(int, const char *);

char *__fp_varargs(void);
typedef char *__builtin_va_list;
#define __builtin_va_start(ap, last) ((void)((ap) = __fp_varargs()))
#define __builtin_va_arg(ap, type) (*(__typeof__(type) *)(((ap) += (sizeof(type) + 7) / 8 * 8) - (sizeof(type) + 7) / 8 * 8))
#define __builtin_va_copy(to, from) ((void)((to) = (from)))
#define __builtin_va_end(ap) ((void)(ap))

#define __builtin_expect(e, v) __builtin_choose_expr(__builtin_constant_p(v), (long)(e), ((void)(v), (long)(e)))
#define __builtin_expect_with_probability(e, v, p) __builtin_expect(e, v)
#define __builtin_assume_aligned(p, ...) ((void *)(p))
#define __builtin_object_size(p, kind) ((unsigned long)-((kind) < 2))
#define __builtin_trap() __builtin_abort()
#define __builtin_LINE() __LINE__
#define __builtin_FILE() __FILE__
#define __builtin_FUNCTION() __func__
#define __builtin_ia32_mfence() __atomic_thread_fence(5)
#define __builtin_ia32_pause() ((void)0)
#define __builtin_ia32_lfence() ((void)0)
#define __builtin_ia32_sfence() __atomic_thread_fence(3)
#define __builtin_ia32_clflush(p) ((void)(p))
#define __builtin_ia32_rdtsc() __fp_clock()
#define __builtin_ia32_rdtscp(p) (*(p) = 0, __fp_clock())
#define __builtin_ia32_tzcnt_u32(x) ({ unsigned __fp_x = (x); __fp_x ? (unsigned)__builtin_ctz(__fp_x) : 32u; })
#define __builtin_ia32_tzcnt_u64(x) ({ unsigned long long __fp_x = (x); __fp_x ? (unsigned long long)__builtin_ctzll(__fp_x) : 64ull; })
#define __builtin_ia32_lzcnt_u32(x) ({ unsigned __fp_x = (x); __fp_x ? (unsigned)__builtin_clz(__fp_x) : 32u; })
#define __builtin_ia32_lzcnt_u64(x) ({ unsigned long long __fp_x = (x); __fp_x ? (unsigned long long)__builtin_clzll(__fp_x) : 64ull; })
#define __builtin_ia32_crc32qi(c, x) ({ unsigned __fp_c = (c); unsigned char __fp_x = (x); __asm__("crc32b %1, %0" : "+r"(__fp_c) : "r"(__fp_x)); __fp_c; })
#define __builtin_ia32_crc32hi(c, x) ({ unsigned __fp_c = (c); unsigned short __fp_x = (x); __asm__("crc32w %1, %0" : "+r"(__fp_c) : "r"(__fp_x)); __fp_c; })
#define __builtin_ia32_crc32si(c, x) ({ unsigned __fp_c = (c); unsigned __fp_x = (x); __asm__("crc32l %1, %0" : "+r"(__fp_c) : "r"(__fp_x)); __fp_c; })
#define __builtin_ia32_crc32di(c, x) ({ unsigned long long __fp_c = (c); unsigned long long __fp_x = (x); __asm__("crc32q %1, %0" : "+r"(__fp_c) : "r"(__fp_x)); __fp_c; })
#define __builtin_ia32_bsrsi(x) (31 - __builtin_clz((unsigned)(x)))
#define __builtin_ia32_bsrdi(x) (63 - __builtin_clzll((unsigned long long)(x)))
unsigned long long __fp_clock(void);

#define __atomic_always_lock_free(n, p) ((_Bool)((n) == 1 || (n) == 2 || (n) == 4 || (n) == 8))
#define __atomic_is_lock_free(n, p) __atomic_always_lock_free(n, p)
