#define __FENCEPOST__ 1
#define __extension__
#define __fp_opt(b) __fp_opt_select(b)
#define __fp_opt_select(b) __fp_opt_##b
#define __fp_opt_0(...)
#define __fp_opt_1(...) __VA_ARGS__
#define __fp_has_args(...) __fp_argument_129(0, ##__VA_ARGS__, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, )
#define __fp_argument_129(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, a72, a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, a95, a96, a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111, a112, a113, a114, a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125, a126, a127, n, ...) n
#define __FUNCTION__ __func__
#define __PRETTY_FUNCTION__ __func__

typedef unsigned long __predefined_size_t;
typedef int __predefined_wchar_t;
typedef long __predefined_ptrdiff_t;
int __predefined_declarator;

long __fp_load(const volatile void *, int);
void __fp_store(volatile void *, ...);
void __fp_init(volatile void *, ...);
long __fp_rmw(int, int, volatile void *, ...);
int __fp_cas(volatile void *, volatile void *, ...);
long __fp_casval(int, volatile void *, ...);
void __fp_fence(int);
void __fp_signal_fence(int);
void __fp_assert(int, const char *);

char *__fp_varargs(void);
typedef char *__builtin_va_list;
#define __builtin_va_start(ap, last) ((void)((ap) = __fp_varargs()))
#define __builtin_va_arg(ap, type) (*(__typeof__(type) *)(((ap) += (sizeof(type) + 7) / 8 * 8) - (sizeof(type) + 7) / 8 * 8))
#define __builtin_va_copy(to, from) ((void)((to) = (from)))
#define __builtin_va_end(ap) ((void)(ap))

#define __builtin_expect(e, v) ((long)(e))
#define __builtin_expect_with_probability(e, v, p) ((long)(e))
#define __builtin_assume_aligned(p, ...) ((void *)(p))
int __ccgo__types_compatible_p();
#define __builtin_types_compatible_p(a, b) __ccgo__types_compatible_p(*(__typeof__(a) *)0, *(__typeof__(b) *)0)
#define __builtin_object_size(p, kind) ((unsigned long)-((kind) < 2))
#define __builtin_trap() __builtin_abort()
#define __builtin_LINE() __LINE__
#define __builtin_FILE() __FILE__
#define __builtin_FUNCTION() __func__
#define __builtin_offsetof(t, m) ((unsigned long)&((t *)0)->m)
#define __builtin_ia32_mfence() __fp_fence(5)
#define __builtin_ia32_pause() ((void)0)
#define __builtin_ia32_lfence() ((void)0)
#define __builtin_ia32_sfence() __fp_fence(3)
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

#define __atomic_load_n(p, o) ((__typeof__(*(p)))__fp_load((p), (o)))
#define __atomic_store_n(p, v, o) __fp_store((p), (v), (o))
#define __atomic_exchange_n(p, v, o) ((__typeof__(*(p)))__fp_rmw(0, 0, (p), (v), (o)))
#define __atomic_load(p, r, o) ((void)(*(r) = __atomic_load_n(p, o)))
#define __atomic_store(p, v, o) __fp_store((p), *(v), (o))
#define __atomic_exchange(p, v, r, o) ((void)(*(r) = __atomic_exchange_n(p, *(v), o)))
#define __atomic_compare_exchange_n(p, e, d, w, s, f) ((_Bool)__fp_cas((p), (e), (d), (s), (f)))
#define __atomic_compare_exchange(p, e, d, w, s, f) ((_Bool)__fp_cas((p), (e), *(d), (s), (f)))
#define __atomic_fetch_add(p, v, o) ((__typeof__(*(p)))__fp_rmw(1, 0, (p), (v), (o)))
#define __atomic_fetch_sub(p, v, o) ((__typeof__(*(p)))__fp_rmw(2, 0, (p), (v), (o)))
#define __atomic_fetch_and(p, v, o) ((__typeof__(*(p)))__fp_rmw(3, 0, (p), (v), (o)))
#define __atomic_fetch_or(p, v, o) ((__typeof__(*(p)))__fp_rmw(4, 0, (p), (v), (o)))
#define __atomic_fetch_xor(p, v, o) ((__typeof__(*(p)))__fp_rmw(5, 0, (p), (v), (o)))
#define __atomic_fetch_nand(p, v, o) ((__typeof__(*(p)))__fp_rmw(6, 0, (p), (v), (o)))
#define __atomic_add_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(1, 1, (p), (v), (o)))
#define __atomic_sub_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(2, 1, (p), (v), (o)))
#define __atomic_and_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(3, 1, (p), (v), (o)))
#define __atomic_or_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(4, 1, (p), (v), (o)))
#define __atomic_xor_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(5, 1, (p), (v), (o)))
#define __atomic_nand_fetch(p, v, o) ((__typeof__(*(p)))__fp_rmw(6, 1, (p), (v), (o)))
#define __atomic_thread_fence(o) __fp_fence(o)
#define __atomic_signal_fence(o) __fp_signal_fence(o)
#define __atomic_test_and_set(p, o) ((_Bool)__fp_rmw(0, 0, (_Bool *)(p), 1, (o)))
#define __atomic_clear(p, o) __fp_store((_Bool *)(p), 0, (o))

#define __atomic_always_lock_free(n, p) ((_Bool)((n) == 1 || (n) == 2 || (n) == 4 || (n) == 8))
#define __atomic_is_lock_free(n, p) __atomic_always_lock_free(n, p)

#define __sync_fetch_and_add(p, v) ((__typeof__(*(p)))__fp_rmw(1, 0, (p), (v), 5))
#define __sync_fetch_and_sub(p, v) ((__typeof__(*(p)))__fp_rmw(2, 0, (p), (v), 5))
#define __sync_fetch_and_and(p, v) ((__typeof__(*(p)))__fp_rmw(3, 0, (p), (v), 5))
#define __sync_fetch_and_or(p, v) ((__typeof__(*(p)))__fp_rmw(4, 0, (p), (v), 5))
#define __sync_fetch_and_xor(p, v) ((__typeof__(*(p)))__fp_rmw(5, 0, (p), (v), 5))
#define __sync_fetch_and_nand(p, v) ((__typeof__(*(p)))__fp_rmw(6, 0, (p), (v), 5))
#define __sync_add_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(1, 1, (p), (v), 5))
#define __sync_sub_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(2, 1, (p), (v), 5))
#define __sync_and_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(3, 1, (p), (v), 5))
#define __sync_or_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(4, 1, (p), (v), 5))
#define __sync_xor_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(5, 1, (p), (v), 5))
#define __sync_nand_and_fetch(p, v) ((__typeof__(*(p)))__fp_rmw(6, 1, (p), (v), 5))
#define __sync_lock_test_and_set(p, v) ((__typeof__(*(p)))__fp_rmw(0, 0, (p), (v), 2))
#define __sync_lock_release(p) __fp_store((p), 0, 3)
#define __sync_synchronize() __fp_fence(5)
#define __sync_bool_compare_and_swap(p, o, n) ((_Bool)__fp_casval(1, (p), (o), (n)))
#define __sync_val_compare_and_swap(p, o, n) ((__typeof__(*(p)))__fp_casval(0, (p), (o), (n)))

/* The builtins with a body in the library, which may be named without a call. */
int __builtin_popcountll(unsigned long long x);
int __builtin_popcountl(unsigned long x);
int __builtin_popcount(unsigned x);
int __builtin_parityll(unsigned long long x);
int __builtin_parityl(unsigned long x);
int __builtin_parity(unsigned x);
int __builtin_ctzll(unsigned long long x);
int __builtin_ctzl(unsigned long x);
int __builtin_ctz(unsigned x);
int __builtin_clzll(unsigned long long x);
int __builtin_clzl(unsigned long x);
int __builtin_clz(unsigned x);
int __builtin_ffsll(long long x);
int __builtin_ffsl(long x);
int __builtin_ffs(int x);
int __builtin_clrsbll(long long x);
int __builtin_clrsbl(long x);
int __builtin_clrsb(int x);
unsigned long __builtin_bswap64(unsigned long x);
unsigned __builtin_bswap32(unsigned x);
unsigned short __builtin_bswap16(unsigned short x);
int __builtin_abs(int x);
long __builtin_labs(long x);
long long __builtin_llabs(long long x);
