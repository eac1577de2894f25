#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) __fp_assert(!!(e), "assert(" #e ")")
#endif
#if !defined static_assert && __STDC_VERSION__ < 202000L
#define static_assert _Static_assert
#endif
