/* How long does a step of a statement take, in nanoseconds? */
#pragma D option quiet

pid$target:libsqlite3.so.0:sqlite3_step:entry
{
	self->start = timestamp;
}

pid$target:libsqlite3.so.0:sqlite3_step:return
/self->start/
{
	@["sqlite3_step, ns"] = quantize(timestamp - self->start);
	self->start = 0;
}
