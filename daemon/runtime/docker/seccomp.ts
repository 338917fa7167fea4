/**
 * The seccomp profiles of containers. An engine's default depends on its age: older ones allow AF_VSOCK sockets, which
 * bypass all network rules to reach the host, and io_uring, which opens sockets without system calls to filter. Only
 * the native architecture is allowed, since 32-bit programs open sockets by other calls.
 */

const family = { unix: 1, inet: 2, inet6: 10, netlink: 16 }

/** Internet sockets as [type, protocols]: only TCP and UDP, so no ICMP, UDP-Lite, MPTCP, SCTP or SMC. */
const transports: [type: number, protocols: number[]][] = [
  [1, [0, 6]],
  [2, [0, 17]],
]

/** Netlink's types, datagram and raw, which are equivalent. */
const netlinkTypes = [2, 3]
/** Interfaces and routes: without it Node's `networkInterfaces()` throws, and development servers with it. */
const netlinkRoute = 0

/** The bits of a socket's type, an int, without flags (SOCK_NONBLOCK, SOCK_CLOEXEC). */
const typeBits = 0xfff7f7ff
const intBits = 0xffffffff

/** All flags of clone() that create a namespace. */
const namespaces = 0x7e020000

/** personality() of plain Linux programs, with and without address randomization, and the query of the current one. */
const personalities = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff]

const files = `access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
  fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock
  fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr ioctl lchown
  lgetxattr link linkat listxattr llistxattr lremovexattr lseek lsetxattr lstat mkdir mkdirat mknod mknodat
  name_to_handle_at newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read
  readahead readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice stat
  statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat
  utimes vmsplice write writev`

const memory = `brk cachestat get_mempolicy madvise map_shadow_stack memfd_create memfd_secret mincore mlock mlock2
  mlockall mmap mprotect mremap mseal msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
  process_madvise process_mrelease process_vm_readv process_vm_writev remap_file_pages shmat shmctl shmdt shmget`

const processes = `arch_prctl capget capset execve execveat exit exit_group fork getcpu getegid geteuid getgid
  getgroups getitimer getpgid getpgrp getpid getppid getpriority getresgid getresuid getrlimit getrusage getsid
  gettid getuid get_robust_list get_thread_area ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
  landlock_restrict_self membarrier modify_ldt pidfd_open pidfd_send_signal prctl prlimit64 ptrace rseq rt_sigaction
  rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
  sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
  sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp
  setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit
  setsid setuid set_robust_list set_thread_area set_tid_address sigaltstack tgkill time times tkill vfork wait4
  waitid riscv_flush_icache riscv_hwprobe`

const waiting = `alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_ctl_old
  epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 futex futex_requeue futex_wait futex_waitv
  futex_wake getrandom gettimeofday inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel
  io_destroy io_getevents io_pgetevents io_setup io_submit mq_getsetattr mq_notify mq_open mq_timedreceive
  mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd nanosleep pause poll ppoll pselect6 restart_syscall select
  semctl semget semop semtimedop signalfd signalfd4 sysinfo timerfd_create timerfd_gettime timerfd_settime
  timer_create timer_delete timer_getoverrun timer_gettime timer_settime uname`

const sockets = `accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg
  sendmmsg sendmsg sendto setsockopt shutdown`

const allow = (names: string, args: object[] = []) => ({ names: names.split(/\s+/), action: 'SCMP_ACT_ALLOW', args })
const equals = (index: number, value: number) => ({ index, value, op: 'SCMP_CMP_EQ' })
const masked = (index: number, value: number, valueTwo: number) => ({
  index,
  value,
  valueTwo,
  op: 'SCMP_CMP_MASKED_EQ',
})

/** socket(family, type, protocol). The kernel reads the low 32 bits of each argument, and so does this filter. */
const socket = (of: number, type: number, protocol: number) =>
  allow('socket', [masked(0, intBits, of), masked(1, typeBits, type), masked(2, intBits, protocol)])

/** The profile in the format of the engine's API. Entries for the same call are alternatives. */
const profile = (openSockets: object[]): string =>
  JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    syscalls: [
      ...[files, memory, processes, waiting, sockets].map((names) => allow(names)),
      ...openSockets,
      allow('socketpair', [equals(0, family.unix)]),
      ...personalities.map((it) => allow('personality', [equals(0, it)])),
      allow('clone', [masked(0, namespaces, 0)]),
      // Its flags are in memory, where a filter cannot read them. C libraries fall back to clone().
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38, args: [] },
    ],
  })

/** For the container in which agents work. */
export const crewProfile = profile([
  allow('socket', [equals(0, family.unix)]),
  ...[family.inet, family.inet6].flatMap((of) =>
    transports.flatMap(([type, protocols]) => protocols.map((it) => socket(of, type, it))),
  ),
  ...netlinkTypes.map((type) => socket(family.netlink, type, netlinkRoute)),
])

/** For the sidecar, which installs the rules of its network by netfilter's netlink or raw sockets. */
export const sidecarProfile = profile(Object.values(family).map((of) => allow('socket', [equals(0, of)])))
