package read_test

// moreSizes are the sizes and alignments of structs in headers about files, processes, devices and networks.
const moreSizes = `
struct aiocb: 168, 8
struct aiocb64: 168, 8
struct aioinit: 32, 4
struct FTW: 8, 4
glob_t: 72, 8
glob64_t: 72, 8
struct group: 32, 8
struct ifaddrs: 56, 8
struct __locale_struct: 232, 8
struct io_event: 32, 8
struct iocb: 64, 8
struct sock_filter: 8, 4
struct sock_fprog: 16, 8
struct fscrypt_policy_v1: 12, 1
struct fscrypt_key: 72, 4
struct fscrypt_policy_v2: 24, 1
struct fscrypt_get_policy_ex_arg: 32, 8
struct fscrypt_key_specifier: 40, 4
struct fscrypt_provisioning_key_payload: 8, 4
struct fscrypt_add_key_arg: 80, 4
struct fscrypt_remove_key_arg: 64, 4
struct fscrypt_get_key_status_arg: 128, 4
struct mount_attr: 32, 8
struct file_clone_range: 32, 8
struct fstrim_range: 24, 8
struct file_dedupe_range_info: 32, 8
struct file_dedupe_range: 24, 8
struct files_stat_struct: 24, 8
struct inodes_stat_t: 56, 8
struct fsxattr: 28, 4
struct ethhdr: 14, 1
struct io_uring_sqe: 64, 8
struct io_uring_cqe: 16, 8
struct io_sqring_offsets: 40, 8
struct io_cqring_offsets: 40, 8
struct io_uring_params: 120, 8
struct io_uring_files_update: 16, 8
struct io_uring_rsrc_register: 32, 8
struct io_uring_rsrc_update: 16, 8
struct io_uring_rsrc_update2: 32, 8
struct io_uring_notification_slot: 32, 8
struct io_uring_notification_register: 32, 8
struct io_uring_probe_op: 8, 4
struct io_uring_probe: 16, 4
struct io_uring_restriction: 16, 4
struct io_uring_buf: 16, 8
struct io_uring_buf_ring: 16, 8
struct io_uring_buf_reg: 40, 8
struct io_uring_getevents_arg: 24, 8
struct io_uring_sync_cancel_reg: 64, 8
struct io_uring_file_index_range: 16, 8
struct io_uring_recvmsg_out: 16, 4
struct perf_event_attr: 128, 8
struct perf_event_query_bpf: 8, 4
struct perf_event_mmap_page: 1088, 8
struct perf_event_header: 8, 4
struct perf_ns_link_info: 16, 8
union perf_mem_data_src: 8, 8
struct perf_branch_entry: 24, 8
union perf_sample_weight: 8, 8
struct prctl_mm_map: 104, 8
struct rand_pool_info: 8, 4
struct rseq_cs: 32, 32
struct rseq: 32, 32
struct __kernel_timespec: 16, 8
struct __kernel_itimerspec: 32, 8
struct __kernel_old_timeval: 16, 8
struct __kernel_old_timespec: 16, 8
struct __kernel_old_itimerval: 32, 8
struct __kernel_sock_timeval: 16, 8
struct __locale_struct: 232, 8
struct mq_attr: 64, 8
struct ether_addr: 6, 1
struct ether_header: 14, 1
struct if_nameindex: 16, 8
struct ifaddr: 48, 8
struct ifmap: 24, 8
struct ifreq: 40, 8
struct ifconf: 16, 8
struct arphdr: 8, 2
struct arpreq: 68, 4
struct arpreq_old: 52, 4
struct arpd_request: 40, 8
struct rpcent: 24, 8
struct netent: 24, 8
struct hostent: 32, 8
struct servent: 32, 8
struct protoent: 24, 8
struct addrinfo: 48, 8
struct gaicb: 56, 8
struct ether_arp: 28, 2
struct timestamp: 40, 4
struct iphdr: 20, 4
struct ip: 20, 4
struct ip_timestamp: 40, 4
struct tcphdr: 20, 4
struct tcp_info: 104, 4
struct tcp_md5sig: 216, 8
struct tcp_repair_opt: 8, 4
struct tcp_cookie_transactions: 544, 2
struct tcp_repair_window: 20, 4
struct tcp_zerocopy_receive: 16, 8
struct udphdr: 8, 2
struct sockaddr_ll: 20, 4
struct packet_mreq: 16, 4
struct passwd: 48, 8
struct re_pattern_buffer: 64, 8
struct re_registers: 24, 8
regmatch_t: 8, 4
struct qelem: 24, 8
struct hsearch_data: 16, 8
ENTRY: 16, 8
posix_spawnattr_t: 336, 8
posix_spawn_file_actions_t: 80, 8
struct inotify_event: 16, 4
struct msqid_ds: 120, 8
struct msginfo: 32, 4
struct msgbuf: 16, 8
struct semid_ds: 104, 8
struct seminfo: 40, 4
struct sembuf: 6, 2
struct signalfd_siginfo: 128, 8
struct statfs: 120, 8
struct statfs64: 120, 8
fsid_t: 8, 4
struct timex: 208, 8
struct ntptimeval: 72, 8
struct ttychars: 14, 1
struct termios: 60, 4
struct utimbuf: 16, 8
struct __exit_status: 4, 2
struct utmpx: 384, 4
wordexp_t: 24, 8
`

const moreSizesHeaders = `#include <aio.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <ifaddrs.h>
#include <langinfo.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/if_ether.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/rseq.h>
#include <linux/time_types.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netdb.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <spawn.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/statfs.h>
#include <sys/timex.h>
#include <sys/ttychars.h>
#include <termios.h>
#include <utime.h>
#include <utmpx.h>
#include <wordexp.h>
`
