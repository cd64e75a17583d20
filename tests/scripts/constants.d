#!/usr/sbin/dtrace -s
/*
 * constants.d: what the constants of the libraries are.
 */
#pragma D option quiet

inline int ALL = 1;

dtrace:::BEGIN
/ALL/
{
	printf("P_OFFLINE %d\n", P_OFFLINE);
	printf("P_ONLINE %d\n", P_ONLINE);
	printf("EPERM %d\n", EPERM);
	printf("ENOENT %d\n", ENOENT);
	printf("ESRCH %d\n", ESRCH);
	printf("EINTR %d\n", EINTR);
	printf("EIO %d\n", EIO);
	printf("ENXIO %d\n", ENXIO);
	printf("E2BIG %d\n", E2BIG);
	printf("ENOEXEC %d\n", ENOEXEC);
	printf("EBADF %d\n", EBADF);
	printf("ECHILD %d\n", ECHILD);
	printf("EAGAIN %d\n", EAGAIN);
	printf("EWOULDBLOCK %d\n", EWOULDBLOCK);
	printf("ENOMEM %d\n", ENOMEM);
	printf("EACCES %d\n", EACCES);
	printf("EFAULT %d\n", EFAULT);
	printf("ENOTBLK %d\n", ENOTBLK);
	printf("EBUSY %d\n", EBUSY);
	printf("EEXIST %d\n", EEXIST);
	printf("EXDEV %d\n", EXDEV);
	printf("ENODEV %d\n", ENODEV);
	printf("ENOTDIR %d\n", ENOTDIR);
	printf("EISDIR %d\n", EISDIR);
	printf("EINVAL %d\n", EINVAL);
	printf("ENFILE %d\n", ENFILE);
	printf("EMFILE %d\n", EMFILE);
	printf("ENOTTY %d\n", ENOTTY);
	printf("ETXTBSY %d\n", ETXTBSY);
	printf("EFBIG %d\n", EFBIG);
	printf("ENOSPC %d\n", ENOSPC);
	printf("ESPIPE %d\n", ESPIPE);
	printf("EROFS %d\n", EROFS);
	printf("EMLINK %d\n", EMLINK);
	printf("EPIPE %d\n", EPIPE);
	printf("EDOM %d\n", EDOM);
	printf("ERANGE %d\n", ERANGE);
	printf("EDEADLK %d\n", EDEADLK);
	printf("EDEADLOCK %d\n", EDEADLOCK);
	printf("ENAMETOOLONG %d\n", ENAMETOOLONG);
	printf("ENOLCK %d\n", ENOLCK);
	printf("ENOSYS %d\n", ENOSYS);
	printf("ENOTEMPTY %d\n", ENOTEMPTY);
	printf("ELOOP %d\n", ELOOP);
	printf("ENOMSG %d\n", ENOMSG);
	printf("EIDRM %d\n", EIDRM);
	printf("ECHRNG %d\n", ECHRNG);
	printf("EL2NSYNC %d\n", EL2NSYNC);
	printf("EL3HLT %d\n", EL3HLT);
	printf("EL3RST %d\n", EL3RST);
	printf("ELNRNG %d\n", ELNRNG);
	printf("EUNATCH %d\n", EUNATCH);
	printf("ENOCSI %d\n", ENOCSI);
	printf("EL2HLT %d\n", EL2HLT);
	printf("EBADE %d\n", EBADE);
	printf("EBADR %d\n", EBADR);
	printf("EXFULL %d\n", EXFULL);
	printf("ENOANO %d\n", ENOANO);
	printf("EBADRQC %d\n", EBADRQC);
	printf("EBADSLT %d\n", EBADSLT);
}

dtrace:::BEGIN
/ALL/
{
	printf("EBFONT %d\n", EBFONT);
	printf("ENOSTR %d\n", ENOSTR);
	printf("ENODATA %d\n", ENODATA);
	printf("ETIME %d\n", ETIME);
	printf("ENOSR %d\n", ENOSR);
	printf("ENONET %d\n", ENONET);
	printf("ENOPKG %d\n", ENOPKG);
	printf("EREMOTE %d\n", EREMOTE);
	printf("ENOLINK %d\n", ENOLINK);
	printf("EADV %d\n", EADV);
	printf("ESRMNT %d\n", ESRMNT);
	printf("ECOMM %d\n", ECOMM);
	printf("EPROTO %d\n", EPROTO);
	printf("EMULTIHOP %d\n", EMULTIHOP);
	printf("EDOTDOT %d\n", EDOTDOT);
	printf("EBADMSG %d\n", EBADMSG);
	printf("EOVERFLOW %d\n", EOVERFLOW);
	printf("ENOTUNIQ %d\n", ENOTUNIQ);
	printf("EBADFD %d\n", EBADFD);
	printf("EREMCHG %d\n", EREMCHG);
	printf("ELIBACC %d\n", ELIBACC);
	printf("ELIBBAD %d\n", ELIBBAD);
	printf("ELIBSCN %d\n", ELIBSCN);
	printf("ELIBMAX %d\n", ELIBMAX);
	printf("ELIBEXEC %d\n", ELIBEXEC);
	printf("EILSEQ %d\n", EILSEQ);
	printf("ERESTART %d\n", ERESTART);
	printf("ESTRPIPE %d\n", ESTRPIPE);
	printf("EUSERS %d\n", EUSERS);
	printf("ENOTSOCK %d\n", ENOTSOCK);
	printf("EDESTADDRREQ %d\n", EDESTADDRREQ);
	printf("EMSGSIZE %d\n", EMSGSIZE);
	printf("EPROTOTYPE %d\n", EPROTOTYPE);
	printf("ENOPROTOOPT %d\n", ENOPROTOOPT);
	printf("EPROTONOSUPPORT %d\n", EPROTONOSUPPORT);
	printf("ESOCKTNOSUPPORT %d\n", ESOCKTNOSUPPORT);
	printf("ENOTSUP %d\n", ENOTSUP);
	printf("EOPNOTSUPP %d\n", EOPNOTSUPP);
	printf("EPFNOSUPPORT %d\n", EPFNOSUPPORT);
	printf("EAFNOSUPPORT %d\n", EAFNOSUPPORT);
	printf("EADDRINUSE %d\n", EADDRINUSE);
	printf("EADDRNOTAVAIL %d\n", EADDRNOTAVAIL);
	printf("ENETDOWN %d\n", ENETDOWN);
	printf("ENETUNREACH %d\n", ENETUNREACH);
	printf("ENETRESET %d\n", ENETRESET);
	printf("ECONNABORTED %d\n", ECONNABORTED);
	printf("ECONNRESET %d\n", ECONNRESET);
	printf("ENOBUFS %d\n", ENOBUFS);
	printf("EISCONN %d\n", EISCONN);
	printf("ENOTCONN %d\n", ENOTCONN);
	printf("ESHUTDOWN %d\n", ESHUTDOWN);
	printf("ETOOMANYREFS %d\n", ETOOMANYREFS);
	printf("ETIMEDOUT %d\n", ETIMEDOUT);
	printf("ECONNREFUSED %d\n", ECONNREFUSED);
	printf("EHOSTDOWN %d\n", EHOSTDOWN);
	printf("EHOSTUNREACH %d\n", EHOSTUNREACH);
	printf("EALREADY %d\n", EALREADY);
	printf("EINPROGRESS %d\n", EINPROGRESS);
	printf("ESTALE %d\n", ESTALE);
	printf("EUCLEAN %d\n", EUCLEAN);
}

dtrace:::BEGIN
/ALL/
{
	printf("ENOTNAM %d\n", ENOTNAM);
	printf("ENAVAIL %d\n", ENAVAIL);
	printf("EISNAM %d\n", EISNAM);
	printf("EREMOTEIO %d\n", EREMOTEIO);
	printf("EDQUOT %d\n", EDQUOT);
	printf("ENOMEDIUM %d\n", ENOMEDIUM);
	printf("EMEDIUMTYPE %d\n", EMEDIUMTYPE);
	printf("ECANCELED %d\n", ECANCELED);
	printf("ENOKEY %d\n", ENOKEY);
	printf("EKEYEXPIRED %d\n", EKEYEXPIRED);
	printf("EKEYREVOKED %d\n", EKEYREVOKED);
	printf("EKEYREJECTED %d\n", EKEYREJECTED);
	printf("EOWNERDEAD %d\n", EOWNERDEAD);
	printf("ENOTRECOVERABLE %d\n", ENOTRECOVERABLE);
	printf("ERFKILL %d\n", ERFKILL);
	printf("EHWPOISON %d\n", EHWPOISON);
	printf("B_BUSY %d\n", B_BUSY);
	printf("B_DONE %d\n", B_DONE);
	printf("B_ERROR %d\n", B_ERROR);
	printf("B_PAGEIO %d\n", B_PAGEIO);
	printf("B_PHYS %d\n", B_PHYS);
	printf("B_READ %d\n", B_READ);
	printf("B_WRITE %d\n", B_WRITE);
	printf("B_ASYNC %d\n", B_ASYNC);
	printf("TCP_STATE_CLOSED %d\n", TCP_STATE_CLOSED);
	printf("TCP_STATE_IDLE %d\n", TCP_STATE_IDLE);
	printf("TCP_STATE_BOUND %d\n", TCP_STATE_BOUND);
	printf("TCP_STATE_LISTEN %d\n", TCP_STATE_LISTEN);
	printf("TCP_STATE_SYN_SENT %d\n", TCP_STATE_SYN_SENT);
	printf("TCP_STATE_SYN_RECEIVED %d\n", TCP_STATE_SYN_RECEIVED);
	printf("TCP_STATE_ESTABLISHED %d\n", TCP_STATE_ESTABLISHED);
	printf("TCP_STATE_CLOSE_WAIT %d\n", TCP_STATE_CLOSE_WAIT);
	printf("TCP_STATE_FIN_WAIT_1 %d\n", TCP_STATE_FIN_WAIT_1);
	printf("TCP_STATE_CLOSING %d\n", TCP_STATE_CLOSING);
	printf("TCP_STATE_LAST_ACK %d\n", TCP_STATE_LAST_ACK);
	printf("TCP_STATE_FIN_WAIT_2 %d\n", TCP_STATE_FIN_WAIT_2);
	printf("TCP_STATE_TIME_WAIT %d\n", TCP_STATE_TIME_WAIT);
	printf("PR_STOPPED %d\n", PR_STOPPED);
	printf("PR_KTHREAD %d\n", PR_KTHREAD);
	printf("PR_IDLE %d\n", PR_IDLE);
	printf("PBIND_NONE %d\n", PBIND_NONE);
	printf("PS_NONE %d\n", PS_NONE);
	printf("R_R15 %d\n", R_R15);
	printf("R_R14 %d\n", R_R14);
	printf("R_R13 %d\n", R_R13);
	printf("R_R12 %d\n", R_R12);
	printf("R_RBP %d\n", R_RBP);
	printf("R_RBX %d\n", R_RBX);
	printf("R_R11 %d\n", R_R11);
	printf("R_R10 %d\n", R_R10);
	printf("R_R9 %d\n", R_R9);
	printf("R_R8 %d\n", R_R8);
	printf("R_RAX %d\n", R_RAX);
	printf("R_RCX %d\n", R_RCX);
	printf("R_RDX %d\n", R_RDX);
	printf("R_RSI %d\n", R_RSI);
	printf("R_RDI %d\n", R_RDI);
	printf("R_ERR %d\n", R_ERR);
	printf("R_RIP %d\n", R_RIP);
	printf("R_CS %d\n", R_CS);
}

dtrace:::BEGIN
/ALL/
{
	printf("R_RFL %d\n", R_RFL);
	printf("R_RSP %d\n", R_RSP);
	printf("R_SS %d\n", R_SS);
	printf("R_DS %d\n", R_DS);
	printf("R_ES %d\n", R_ES);
	printf("R_FS %d\n", R_FS);
	printf("R_GS %d\n", R_GS);
	printf("R_TRAPNO %d\n", R_TRAPNO);
	printf("R_FSBASE %d\n", R_FSBASE);
	printf("R_GSBASE %d\n", R_GSBASE);
	printf("R_EAX %d\n", R_EAX);
	printf("R_EBX %d\n", R_EBX);
	printf("R_ECX %d\n", R_ECX);
	printf("R_EDX %d\n", R_EDX);
	printf("R_ESI %d\n", R_ESI);
	printf("R_EDI %d\n", R_EDI);
	printf("R_EBP %d\n", R_EBP);
	printf("R_ESP %d\n", R_ESP);
	printf("R_EIP %d\n", R_EIP);
	printf("R_EFL %d\n", R_EFL);
	printf("R_PC %d\n", R_PC);
	printf("R_SP %d\n", R_SP);
	printf("R_FP %d\n", R_FP);
	printf("R_PS %d\n", R_PS);
	printf("R_R0 %d\n", R_R0);
	printf("R_R1 %d\n", R_R1);
	printf("SIGHUP %d\n", SIGHUP);
	printf("SIGINT %d\n", SIGINT);
	printf("SIGQUIT %d\n", SIGQUIT);
	printf("SIGILL %d\n", SIGILL);
	printf("SIGTRAP %d\n", SIGTRAP);
	printf("SIGABRT %d\n", SIGABRT);
	printf("SIGIOT %d\n", SIGIOT);
	printf("SIGBUS %d\n", SIGBUS);
	printf("SIGFPE %d\n", SIGFPE);
	printf("SIGKILL %d\n", SIGKILL);
	printf("SIGUSR1 %d\n", SIGUSR1);
	printf("SIGSEGV %d\n", SIGSEGV);
	printf("SIGUSR2 %d\n", SIGUSR2);
	printf("SIGPIPE %d\n", SIGPIPE);
	printf("SIGALRM %d\n", SIGALRM);
	printf("SIGTERM %d\n", SIGTERM);
	printf("SIGSTKFLT %d\n", SIGSTKFLT);
	printf("SIGCHLD %d\n", SIGCHLD);
	printf("SIGCLD %d\n", SIGCLD);
	printf("SIGCONT %d\n", SIGCONT);
	printf("SIGSTOP %d\n", SIGSTOP);
	printf("SIGTSTP %d\n", SIGTSTP);
	printf("SIGTTIN %d\n", SIGTTIN);
	printf("SIGTTOU %d\n", SIGTTOU);
	printf("SIGURG %d\n", SIGURG);
	printf("SIGXCPU %d\n", SIGXCPU);
	printf("SIGXFSZ %d\n", SIGXFSZ);
	printf("SIGVTALRM %d\n", SIGVTALRM);
	printf("SIGPROF %d\n", SIGPROF);
	printf("SIGWINCH %d\n", SIGWINCH);
	printf("SIGIO %d\n", SIGIO);
	printf("SIGPOLL %d\n", SIGPOLL);
	printf("SIGPWR %d\n", SIGPWR);
	printf("SIGSYS %d\n", SIGSYS);
}

dtrace:::BEGIN
/ALL/
{
	printf("SIGRTMIN %d\n", SIGRTMIN);
	printf("SIGRTMAX %d\n", SIGRTMAX);
	printf("CLD_EXITED %d\n", CLD_EXITED);
	printf("CLD_KILLED %d\n", CLD_KILLED);
	printf("CLD_DUMPED %d\n", CLD_DUMPED);
	printf("CLD_TRAPPED %d\n", CLD_TRAPPED);
	printf("CLD_STOPPED %d\n", CLD_STOPPED);
	printf("CLD_CONTINUED %d\n", CLD_CONTINUED);
	printf("AF_UNSPEC %d\n", AF_UNSPEC);
	printf("AF_UNIX %d\n", AF_UNIX);
	printf("AF_LOCAL %d\n", AF_LOCAL);
	printf("AF_INET %d\n", AF_INET);
	printf("AF_INET6 %d\n", AF_INET6);
	printf("AF_NETLINK %d\n", AF_NETLINK);
	printf("AF_PACKET %d\n", AF_PACKET);
	printf("SOCK_STREAM %d\n", SOCK_STREAM);
	printf("SOCK_DGRAM %d\n", SOCK_DGRAM);
	printf("SOCK_RAW %d\n", SOCK_RAW);
	printf("SOCK_SEQPACKET %d\n", SOCK_SEQPACKET);
	printf("IPPROTO_IP %d\n", IPPROTO_IP);
	printf("IPPROTO_ICMP %d\n", IPPROTO_ICMP);
	printf("IPPROTO_TCP %d\n", IPPROTO_TCP);
	printf("IPPROTO_UDP %d\n", IPPROTO_UDP);
	printf("IPPROTO_IPV6 %d\n", IPPROTO_IPV6);
	printf("IPPROTO_ICMPV6 %d\n", IPPROTO_ICMPV6);
	printf("IPPROTO_RAW %d\n", IPPROTO_RAW);
	printf("IPH_DF %d\n", IPH_DF);
	printf("IPH_MF %d\n", IPH_MF);
	printf("ARPHRD_ETHER %d\n", ARPHRD_ETHER);
	printf("ARPHRD_INFINIBAND %d\n", ARPHRD_INFINIBAND);
	printf("TH_FIN %d\n", TH_FIN);
	printf("TH_SYN %d\n", TH_SYN);
	printf("TH_RST %d\n", TH_RST);
	printf("TH_PUSH %d\n", TH_PUSH);
	printf("TH_ACK %d\n", TH_ACK);
	printf("TH_URG %d\n", TH_URG);
	printf("TH_ECE %d\n", TH_ECE);
	printf("TH_CWR %d\n", TH_CWR);
	printf("DTRACEFLT_UNKNOWN %d\n", DTRACEFLT_UNKNOWN);
	printf("DTRACEFLT_BADADDR %d\n", DTRACEFLT_BADADDR);
	printf("DTRACEFLT_BADALIGN %d\n", DTRACEFLT_BADALIGN);
	printf("DTRACEFLT_ILLOP %d\n", DTRACEFLT_ILLOP);
	printf("DTRACEFLT_DIVZERO %d\n", DTRACEFLT_DIVZERO);
	printf("DTRACEFLT_NOSCRATCH %d\n", DTRACEFLT_NOSCRATCH);
	printf("DTRACEFLT_KPRIV %d\n", DTRACEFLT_KPRIV);
	printf("DTRACEFLT_UPRIV %d\n", DTRACEFLT_UPRIV);
	printf("DTRACEFLT_TUPOFLOW %d\n", DTRACEFLT_TUPOFLOW);
	printf("DTRACEFLT_BADSTACK %d\n", DTRACEFLT_BADSTACK);
	printf("DTRACEFLT_BADSIZE %d\n", DTRACEFLT_BADSIZE);
	printf("DTRACEFLT_BADINDEX %d\n", DTRACEFLT_BADINDEX);
	printf("O_RDONLY %d\n", O_RDONLY);
	printf("O_WRONLY %d\n", O_WRONLY);
	printf("O_RDWR %d\n", O_RDWR);
	printf("O_ACCMODE %d\n", O_ACCMODE);
	printf("O_CREAT %d\n", O_CREAT);
	printf("O_EXCL %d\n", O_EXCL);
	printf("O_NOCTTY %d\n", O_NOCTTY);
	printf("O_TRUNC %d\n", O_TRUNC);
	printf("O_APPEND %d\n", O_APPEND);
	printf("O_NONBLOCK %d\n", O_NONBLOCK);
	printf("O_NDELAY %d\n", O_NDELAY);
	printf("O_DSYNC %d\n", O_DSYNC);
}

dtrace:::BEGIN
/ALL/
{
	printf("O_ASYNC %d\n", O_ASYNC);
	printf("O_DIRECT %d\n", O_DIRECT);
	printf("O_LARGEFILE %d\n", O_LARGEFILE);
	printf("O_DIRECTORY %d\n", O_DIRECTORY);
	printf("O_NOFOLLOW %d\n", O_NOFOLLOW);
	printf("O_NOATIME %d\n", O_NOATIME);
	printf("O_CLOEXEC %d\n", O_CLOEXEC);
	printf("O_SYNC %d\n", O_SYNC);
	printf("O_RSYNC %d\n", O_RSYNC);
	printf("O_PATH %d\n", O_PATH);
	printf("O_TMPFILE %d\n", O_TMPFILE);
	printf("AT_FDCWD %d\n", AT_FDCWD);
	printf("F_OK %d\n", F_OK);
	printf("X_OK %d\n", X_OK);
	printf("W_OK %d\n", W_OK);
	printf("R_OK %d\n", R_OK);
	printf("SEEK_SET %d\n", SEEK_SET);
	printf("SEEK_CUR %d\n", SEEK_CUR);
	printf("SEEK_END %d\n", SEEK_END);
	printf("F_DUPFD %d\n", F_DUPFD);
	printf("F_GETFD %d\n", F_GETFD);
	printf("F_SETFD %d\n", F_SETFD);
	printf("F_GETFL %d\n", F_GETFL);
	printf("F_SETFL %d\n", F_SETFL);
	printf("S_IFMT %d\n", S_IFMT);
	printf("S_IFSOCK %d\n", S_IFSOCK);
	printf("S_IFLNK %d\n", S_IFLNK);
	printf("S_IFREG %d\n", S_IFREG);
	printf("S_IFBLK %d\n", S_IFBLK);
	printf("S_IFDIR %d\n", S_IFDIR);
	printf("S_IFCHR %d\n", S_IFCHR);
	printf("S_IFIFO %d\n", S_IFIFO);
	printf("S_ISUID %d\n", S_ISUID);
	printf("S_ISGID %d\n", S_ISGID);
	printf("S_ISVTX %d\n", S_ISVTX);
	printf("PROT_NONE %d\n", PROT_NONE);
	printf("PROT_READ %d\n", PROT_READ);
	printf("PROT_WRITE %d\n", PROT_WRITE);
	printf("PF_DONTNEED %d\n", PF_DONTNEED);
	printf("PF_PROT_SHIFT %d\n", PF_PROT_SHIFT);
	printf("PROT_EXEC %d\n", PROT_EXEC);
	printf("MAP_SHARED %d\n", MAP_SHARED);
	printf("MAP_PRIVATE %d\n", MAP_PRIVATE);
	printf("MAP_FIXED %d\n", MAP_FIXED);
	printf("MAP_ANONYMOUS %d\n", MAP_ANONYMOUS);
	printf("MAP_ANON %d\n", MAP_ANON);
	printf("MAP_NORESERVE %d\n", MAP_NORESERVE);
	printf("MAP_STACK %d\n", MAP_STACK);
	printf("MAP_HUGETLB %d\n", MAP_HUGETLB);
}

dtrace:::BEGIN
{
	exit(0);
}
