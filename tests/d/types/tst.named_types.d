/*
 * D itself defines the integer types of <stdint.h> and of Solaris.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d\n", sizeof(int8_t));
	printf("%d\n", sizeof(uint8_t));
	printf("%d\n", sizeof(uchar_t));
	printf("%d\n", sizeof(int16_t));
	printf("%d\n", sizeof(uint16_t));
	printf("%d\n", sizeof(ushort_t));
	printf("%d\n", sizeof(int32_t));
	printf("%d\n", sizeof(uint32_t));
	printf("%d\n", sizeof(uint_t));
	printf("%d\n", sizeof(int64_t));
	printf("%d\n", sizeof(uint64_t));
	printf("%d\n", sizeof(ulong_t));
	printf("%d\n", sizeof(longlong_t));
	printf("%d\n", sizeof(u_longlong_t));
	printf("%d\n", sizeof(size_t));
	printf("%d\n", sizeof(uintptr_t));
	printf("%d\n", sizeof(intptr_t));
	printf("%d\n", sizeof(ssize_t));
	printf("%d\n", sizeof(ptrdiff_t));
	printf("%d\n", sizeof(id_t));
	printf("%d\n", sizeof(pid_t));
	printf("%d\n", sizeof(uid_t));
	printf("%d\n", sizeof(gid_t));
	printf("%d\n", sizeof(zoneid_t));
	printf("%d\n", sizeof(taskid_t));
	printf("%d\n", sizeof(projid_t));
	exit(0);
}
