#!/usr/sbin/dtrace -s
/*
 * iosizes.d: sizes of writes of one file, in even steps, in powers of ten, in powers of two.
 *
 * USAGE: ./iosizes.d -c COMMAND NAME
 */
#pragma D option quiet

syscall::write:entry
/pid == $target && fds[arg0].fi_name == $$1/
{
	@even["even"] = lquantize(arg2, 0, 10000, 1000);
	@ten["ten"] = llquantize(arg2, 10, 0, 6, 10);
	@two["two"] = quantize(arg2);
	@dev = stddev(arg2);
	@n = count();
}

dtrace:::END
{
	normalize(@n, 5);
	printa("%s%@d", @even);
	printa("%s%@d", @ten);
	printa("%s%@d", @two);
	printa("deviation %@d\n", @dev);
	printa("fives %@d\n", @n);
}
