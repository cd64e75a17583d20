/*
 * Types that scripts for other systems cast to and declare are known, without any library.
 *
 * opts: -q -x syslibdir=/nonexistent
 */

boolean_t b;
hrtime_t then;
timestruc_t ts;
caddr_t p;
self offset_t at;

BEGIN
{
	b = B_TRUE;
	then = timestamp;
	ts.tv_sec = 3;
	ts.tv_nsec = (long)1 << 40;
	p = (caddr_t)0;
	self->at = (offset_t)-1;
	printf("%d %d %d %d\n", b, (boolean_t)0 == B_FALSE, ts.tv_sec, ts.tv_nsec);
	printf("%d %d %d\n", then != 0, p == NULL, self->at);
	printf("%d%d%d%d %d%d%d%d\n", sizeof(boolean_t), sizeof(uchar_t), sizeof(ushort_t),
	       sizeof(uint_t), sizeof(ulong_t), sizeof(longlong_t), sizeof(u_longlong_t),
	       sizeof(offset_t));
	printf("%d%d%d%d %d%d%d%d %d %d\n", sizeof(hrtime_t), sizeof(pgcnt_t), sizeof(size_t),
	       sizeof(caddr_t), sizeof(processorid_t), sizeof(psetid_t), sizeof(zoneid_t),
	       sizeof(projid_t), sizeof(taskid_t) + sizeof(id_t), sizeof(timestruc_t));
	printf("%d\n", (pgcnt_t)-1 > 0);
	exit(0);
}
