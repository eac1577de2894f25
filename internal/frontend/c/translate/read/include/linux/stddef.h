#ifndef _FP_LINUX_STDDEF_H
#define _FP_LINUX_STDDEF_H
#include <features.h>
#define __struct_group_tag(TAG) TAG
#define __struct_group(TAG,NAME,ATTRS,MEMBERS...) union { struct { MEMBERS } ATTRS; struct __struct_group_tag(TAG) { MEMBERS } ATTRS NAME; } ATTRS
#define __DECLARE_FLEX_ARRAY(TYPE,NAME) struct { struct { } __empty_ ## NAME; TYPE NAME[]; }
#endif
