#ifndef _FP_LINUX_FS_H
#define _FP_LINUX_FS_H
#include <features.h>
#include <linux/limits.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#define FSCRYPT_POLICY_FLAGS_PAD_4 0
#define FSCRYPT_POLICY_FLAGS_PAD_8 1
#define FSCRYPT_POLICY_FLAGS_PAD_16 2
#define FSCRYPT_POLICY_FLAGS_PAD_32 3
#define FSCRYPT_POLICY_FLAGS_PAD_MASK 3
#define FSCRYPT_POLICY_FLAG_DIRECT_KEY 4
#define FSCRYPT_POLICY_FLAG_IV_INO_LBLK_64 8
#define FSCRYPT_POLICY_FLAG_IV_INO_LBLK_32 16
#define FSCRYPT_MODE_AES_256_XTS 1
#define FSCRYPT_MODE_AES_256_CTS 4
#define FSCRYPT_MODE_AES_128_CBC 5
#define FSCRYPT_MODE_AES_128_CTS 6
#define FSCRYPT_MODE_ADIANTUM 9
#define FSCRYPT_MODE_AES_256_HCTR2 10
#define FSCRYPT_POLICY_V1 0
#define FSCRYPT_KEY_DESCRIPTOR_SIZE 8
struct fscrypt_policy_v1 { __u8 version; __u8 contents_encryption_mode; __u8 filenames_encryption_mode; __u8 flags; __u8 master_key_descriptor[8]; };
#define FSCRYPT_KEY_DESC_PREFIX "fscrypt:"
#define FSCRYPT_KEY_DESC_PREFIX_SIZE 8
#define FSCRYPT_MAX_KEY_SIZE 64
struct fscrypt_key { __u32 mode; __u8 raw[64]; __u32 size; };
#define FSCRYPT_POLICY_V2 2
#define FSCRYPT_KEY_IDENTIFIER_SIZE 16
struct fscrypt_policy_v2 { __u8 version; __u8 contents_encryption_mode; __u8 filenames_encryption_mode; __u8 flags; __u8 __reserved[4]; __u8 master_key_identifier[16]; };
struct fscrypt_get_policy_ex_arg { __u64 policy_size; union { __u8 version; struct fscrypt_policy_v1 v1; struct fscrypt_policy_v2 v2; } policy; };
#define FSCRYPT_KEY_SPEC_TYPE_DESCRIPTOR 1
#define FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER 2
struct fscrypt_key_specifier { __u32 type; __u32 __reserved; union { __u8 __reserved[32]; __u8 descriptor[8]; __u8 identifier[16]; } u; };
struct fscrypt_provisioning_key_payload { __u32 type; __u32 __reserved; __u8 raw[]; };
struct fscrypt_add_key_arg { struct fscrypt_key_specifier key_spec; __u32 raw_size; __u32 key_id; __u32 __reserved[8]; __u8 raw[]; };
#define FSCRYPT_KEY_REMOVAL_STATUS_FLAG_FILES_BUSY 1
#define FSCRYPT_KEY_REMOVAL_STATUS_FLAG_OTHER_USERS 2
struct fscrypt_remove_key_arg { struct fscrypt_key_specifier key_spec; __u32 removal_status_flags; __u32 __reserved[5]; };
#define FSCRYPT_KEY_STATUS_ABSENT 1
#define FSCRYPT_KEY_STATUS_PRESENT 2
#define FSCRYPT_KEY_STATUS_INCOMPLETELY_REMOVED 3
#define FSCRYPT_KEY_STATUS_FLAG_ADDED_BY_SELF 1
struct fscrypt_get_key_status_arg { struct fscrypt_key_specifier key_spec; __u32 __reserved[6]; __u32 status; __u32 status_flags; __u32 user_count; __u32 __out_reserved[13]; };
#define FS_IOC_SET_ENCRYPTION_POLICY _IOR('f', 19, struct fscrypt_policy_v1)
#define FS_IOC_GET_ENCRYPTION_PWSALT _IOW('f', 20, __u8[16])
#define FS_IOC_GET_ENCRYPTION_POLICY _IOW('f', 21, struct fscrypt_policy_v1)
#define FS_IOC_GET_ENCRYPTION_POLICY_EX _IOWR('f', 22, __u8[9])
#define FS_IOC_ADD_ENCRYPTION_KEY _IOWR('f', 23, struct fscrypt_add_key_arg)
#define FS_IOC_REMOVE_ENCRYPTION_KEY _IOWR('f', 24, struct fscrypt_remove_key_arg)
#define FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS _IOWR('f', 25, struct fscrypt_remove_key_arg)
#define FS_IOC_GET_ENCRYPTION_KEY_STATUS _IOWR('f', 26, struct fscrypt_get_key_status_arg)
#define FS_IOC_GET_ENCRYPTION_NONCE _IOR('f', 27, __u8[16])
#define fscrypt_policy fscrypt_policy_v1
#define FS_KEY_DESCRIPTOR_SIZE 8
#define FS_POLICY_FLAGS_PAD_4 0
#define FS_POLICY_FLAGS_PAD_8 1
#define FS_POLICY_FLAGS_PAD_16 2
#define FS_POLICY_FLAGS_PAD_32 3
#define FS_POLICY_FLAGS_PAD_MASK 3
#define FS_POLICY_FLAG_DIRECT_KEY 4
#define FS_POLICY_FLAGS_VALID 7
#define FS_ENCRYPTION_MODE_INVALID 0
#define FS_ENCRYPTION_MODE_AES_256_XTS 1
#define FS_ENCRYPTION_MODE_AES_256_GCM 2
#define FS_ENCRYPTION_MODE_AES_256_CBC 3
#define FS_ENCRYPTION_MODE_AES_256_CTS 4
#define FS_ENCRYPTION_MODE_AES_128_CBC 5
#define FS_ENCRYPTION_MODE_AES_128_CTS 6
#define FS_ENCRYPTION_MODE_SPECK128_256_XTS 7
#define FS_ENCRYPTION_MODE_SPECK128_256_CTS 8
#define FS_ENCRYPTION_MODE_ADIANTUM 9
#define FS_KEY_DESC_PREFIX FSCRYPT_KEY_DESC_PREFIX
#define FS_KEY_DESC_PREFIX_SIZE 8
#define FS_MAX_KEY_SIZE 64
#define MS_RDONLY 1
#define MS_NOSUID 2
#define MS_NODEV 4
#define MS_NOEXEC 8
#define MS_SYNCHRONOUS 16
#define MS_REMOUNT 32
#define MS_MANDLOCK 64
#define MS_DIRSYNC 128
#define MS_NOSYMFOLLOW 256
#define MS_NOATIME 1024
#define MS_NODIRATIME 2048
#define MS_BIND 4096
#define MS_MOVE 8192
#define MS_REC 16384
#define MS_VERBOSE 32768
#define MS_SILENT 32768
#define MS_POSIXACL 65536
#define MS_UNBINDABLE 131072
#define MS_PRIVATE 262144
#define MS_SLAVE 524288
#define MS_SHARED 1048576
#define MS_RELATIME 2097152
#define MS_KERNMOUNT 4194304
#define MS_I_VERSION 8388608
#define MS_STRICTATIME 16777216
#define MS_LAZYTIME 33554432
#define MS_SUBMOUNT 67108864
#define MS_NOREMOTELOCK 134217728
#define MS_NOSEC 268435456
#define MS_BORN 536870912
#define MS_ACTIVE 1073741824
#define MS_NOUSER (1 << 31)
#define MS_RMT_MASK 41943121
#define MS_MGC_VAL 3236757504
#define MS_MGC_MSK 4294901760
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_SYMLINKS 1
#define MOVE_MOUNT_F_AUTOMOUNTS 2
#define MOVE_MOUNT_F_EMPTY_PATH 4
#define MOVE_MOUNT_T_SYMLINKS 16
#define MOVE_MOUNT_T_AUTOMOUNTS 32
#define MOVE_MOUNT_T_EMPTY_PATH 64
#define MOVE_MOUNT_SET_GROUP 256
#define MOVE_MOUNT__MASK 375
#define FSOPEN_CLOEXEC 1
#define FSPICK_CLOEXEC 1
#define FSPICK_SYMLINK_NOFOLLOW 2
#define FSPICK_NO_AUTOMOUNT 4
#define FSPICK_EMPTY_PATH 8
enum fsconfig_command { FSCONFIG_SET_FLAG = 0, FSCONFIG_SET_STRING = 1, FSCONFIG_SET_BINARY = 2, FSCONFIG_SET_PATH = 3, FSCONFIG_SET_PATH_EMPTY = 4, FSCONFIG_SET_FD = 5, FSCONFIG_CMD_CREATE = 6, FSCONFIG_CMD_RECONFIGURE = 7, };
#define FSMOUNT_CLOEXEC 1
#define MOUNT_ATTR_RDONLY 1
#define MOUNT_ATTR_NOSUID 2
#define MOUNT_ATTR_NODEV 4
#define MOUNT_ATTR_NOEXEC 8
#define MOUNT_ATTR__ATIME 112
#define MOUNT_ATTR_RELATIME 0
#define MOUNT_ATTR_NOATIME 16
#define MOUNT_ATTR_STRICTATIME 32
#define MOUNT_ATTR_NODIRATIME 128
#define MOUNT_ATTR_IDMAP 1048576
#define MOUNT_ATTR_NOSYMFOLLOW 2097152
struct mount_attr { __u64 attr_set; __u64 attr_clr; __u64 propagation; __u64 userns_fd; };
#define MOUNT_ATTR_SIZE_VER0 32
#define INR_OPEN_CUR 1024
#define INR_OPEN_MAX 4096
#define BLOCK_SIZE_BITS 10
#define BLOCK_SIZE 1024
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define SEEK_DATA 3
#define SEEK_HOLE 4
#define SEEK_MAX 4
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#define RENAME_WHITEOUT 4
struct file_clone_range { __s64 src_fd; __u64 src_offset; __u64 src_length; __u64 dest_offset; };
struct fstrim_range { __u64 start; __u64 len; __u64 minlen; };
#define FILE_DEDUPE_RANGE_SAME 0
#define FILE_DEDUPE_RANGE_DIFFERS 1
struct file_dedupe_range_info { __s64 dest_fd; __u64 dest_offset; __u64 bytes_deduped; __s32 status; __u32 reserved; };
struct file_dedupe_range { __u64 src_offset; __u64 src_length; __u16 dest_count; __u16 reserved1; __u32 reserved2; struct file_dedupe_range_info info[]; };
struct files_stat_struct { unsigned long nr_files; unsigned long nr_free_files; unsigned long max_files; };
struct inodes_stat_t { long nr_inodes; long nr_unused; long dummy[5]; };
#define NR_FILE 8192
struct fsxattr { __u32 fsx_xflags; __u32 fsx_extsize; __u32 fsx_nextents; __u32 fsx_projid; __u32 fsx_cowextsize; unsigned char fsx_pad[8]; };
#define FS_XFLAG_REALTIME 1
#define FS_XFLAG_PREALLOC 2
#define FS_XFLAG_IMMUTABLE 8
#define FS_XFLAG_APPEND 16
#define FS_XFLAG_SYNC 32
#define FS_XFLAG_NOATIME 64
#define FS_XFLAG_NODUMP 128
#define FS_XFLAG_RTINHERIT 256
#define FS_XFLAG_PROJINHERIT 512
#define FS_XFLAG_NOSYMLINKS 1024
#define FS_XFLAG_EXTSIZE 2048
#define FS_XFLAG_EXTSZINHERIT 4096
#define FS_XFLAG_NODEFRAG 8192
#define FS_XFLAG_FILESTREAM 16384
#define FS_XFLAG_DAX 32768
#define FS_XFLAG_COWEXTSIZE 65536
#define FS_XFLAG_HASATTR 2147483648
#define BLKROSET 4701U
#define BLKROGET 4702U
#define BLKRRPART 4703U
#define BLKGETSIZE 4704U
#define BLKFLSBUF 4705U
#define BLKRASET 4706U
#define BLKRAGET 4707U
#define BLKFRASET 4708U
#define BLKFRAGET 4709U
#define BLKSECTSET 4710U
#define BLKSECTGET 4711U
#define BLKSSZGET 4712U
#define BLKBSZGET _IOR(0x12,112,size_t)
#define BLKBSZSET _IOW(0x12,113,size_t)
#define BLKGETSIZE64 _IOR(0x12,114,size_t)
#define BLKTRACESETUP _IOWR(0x12,115,struct blk_user_trace_setup)
#define BLKTRACESTART 4724U
#define BLKTRACESTOP 4725U
#define BLKTRACETEARDOWN 4726U
#define BLKDISCARD 4727U
#define BLKIOMIN 4728U
#define BLKIOOPT 4729U
#define BLKALIGNOFF 4730U
#define BLKPBSZGET 4731U
#define BLKDISCARDZEROES 4732U
#define BLKSECDISCARD 4733U
#define BLKROTATIONAL 4734U
#define BLKZEROOUT 4735U
#define BLKGETDISKSEQ _IOR(0x12,128,__u64)
#define BMAP_IOCTL 1
#define FIBMAP 1U
#define FIGETBSZ 2U
#define FIFREEZE _IOWR('X', 119, int)
#define FITHAW _IOWR('X', 120, int)
#define FITRIM _IOWR('X', 121, struct fstrim_range)
#define FICLONE _IOW(0x94, 9, int)
#define FICLONERANGE _IOW(0x94, 13, struct file_clone_range)
#define FIDEDUPERANGE _IOWR(0x94, 54, struct file_dedupe_range)
#define FSLABEL_MAX 256
#define FS_IOC_GETFLAGS _IOR('f', 1, long)
#define FS_IOC_SETFLAGS _IOW('f', 2, long)
#define FS_IOC_GETVERSION _IOR('v', 1, long)
#define FS_IOC_SETVERSION _IOW('v', 2, long)
#define FS_IOC_FIEMAP _IOWR('f', 11, struct fiemap)
#define FS_IOC32_GETFLAGS _IOR('f', 1, int)
#define FS_IOC32_SETFLAGS _IOW('f', 2, int)
#define FS_IOC32_GETVERSION _IOR('v', 1, int)
#define FS_IOC32_SETVERSION _IOW('v', 2, int)
#define FS_IOC_FSGETXATTR _IOR('X', 31, struct fsxattr)
#define FS_IOC_FSSETXATTR _IOW('X', 32, struct fsxattr)
#define FS_IOC_GETFSLABEL _IOR(0x94, 49, char[FSLABEL_MAX])
#define FS_IOC_SETFSLABEL _IOW(0x94, 50, char[FSLABEL_MAX])
#define FS_SECRM_FL 1
#define FS_UNRM_FL 2
#define FS_COMPR_FL 4
#define FS_SYNC_FL 8
#define FS_IMMUTABLE_FL 16
#define FS_APPEND_FL 32
#define FS_NODUMP_FL 64
#define FS_NOATIME_FL 128
#define FS_DIRTY_FL 256
#define FS_COMPRBLK_FL 512
#define FS_NOCOMP_FL 1024
#define FS_ENCRYPT_FL 2048
#define FS_BTREE_FL 4096
#define FS_INDEX_FL 4096
#define FS_IMAGIC_FL 8192
#define FS_JOURNAL_DATA_FL 16384
#define FS_NOTAIL_FL 32768
#define FS_DIRSYNC_FL 65536
#define FS_TOPDIR_FL 131072
#define FS_HUGE_FILE_FL 262144
#define FS_EXTENT_FL 524288
#define FS_VERITY_FL 1048576
#define FS_EA_INODE_FL 2097152
#define FS_EOFBLOCKS_FL 4194304
#define FS_NOCOW_FL 8388608
#define FS_DAX_FL 33554432
#define FS_INLINE_DATA_FL 268435456
#define FS_PROJINHERIT_FL 536870912
#define FS_CASEFOLD_FL 1073741824
#define FS_RESERVED_FL 2147483648
#define FS_FL_USER_VISIBLE 253951
#define FS_FL_USER_MODIFIABLE 229631
#define SYNC_FILE_RANGE_WAIT_BEFORE 1
#define SYNC_FILE_RANGE_WRITE 2
#define SYNC_FILE_RANGE_WAIT_AFTER 4
#define SYNC_FILE_RANGE_WRITE_AND_WAIT 7
typedef int __kernel_rwf_t;
#define RWF_HIPRI ((__kernel_rwf_t)0x00000001)
#define RWF_DSYNC ((__kernel_rwf_t)0x00000002)
#define RWF_SYNC ((__kernel_rwf_t)0x00000004)
#define RWF_NOWAIT ((__kernel_rwf_t)0x00000008)
#define RWF_APPEND ((__kernel_rwf_t)0x00000010)
#define RWF_SUPPORTED (RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT | RWF_APPEND)
#endif
