// What the clients need of GLib: atomic pointers as GLib's gatomic.h makes them of gcc's builtins.
#ifndef PUBLISHED_GLIB_H
#define PUBLISHED_GLIB_H
typedef int gboolean;
#define g_atomic_pointer_get(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define g_atomic_pointer_set(p, v) __atomic_store_n((p), (void *)(v), __ATOMIC_SEQ_CST)
#define g_atomic_pointer_compare_and_exchange(p, old, new) __sync_bool_compare_and_swap((p), (old), (new))
#endif
