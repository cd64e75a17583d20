/*
 * What holds a lock is read in its memory.
 *
 * opts: -q
 */

BEGIN
{
	this->m = (uint64_t *)alloca(8);
	this->r = (uint32_t *)alloca(4);
	*this->m = 0xffff888000001007;
	printf("%x %d %d %d\n", (uint64_t)mutex_owner((struct mutex *)this->m),
	    mutex_owned((struct mutex *)this->m), mutex_type_adaptive((struct mutex *)this->m),
	    mutex_type_spin((struct mutex *)this->m));
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->r), rw_write_held((rwlock_t *)this->r),
	    rw_iswriter((rwlock_t *)this->r));
	*this->r = 0x400;
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->r), rw_write_held((rwlock_t *)this->r),
	    rw_iswriter((rwlock_t *)this->r));
	*this->r = 0x100;
	printf("%d%d%d ", rw_read_held((rwlock_t *)this->r), rw_write_held((rwlock_t *)this->r),
	    rw_iswriter((rwlock_t *)this->r));
	*this->r = 0xff;
	printf("%d%d%d\n", rw_read_held((rwlock_t *)this->r), rw_write_held((rwlock_t *)this->r),
	    rw_iswriter((rwlock_t *)this->r));
}

BEGIN
{
	trace(mutex_owned((struct mutex *)NULL));
}

BEGIN
{
	trace(rw_iswriter((rwlock_t *)NULL));
}

BEGIN
{
	exit(0);
}
