#!/usr/sbin/dtrace -Zs
/*
 * phpcalls.d: functions of PHP as they are called (USE_ZEND_DTRACE=1 in the environment of php).
 */
#pragma D option quiet

php$target:::function-entry
/arg0 && copyinstr(arg0) != ""/
{
	@[copyinstr(arg0)] = count();
}

php$target:::function-return
/arg0 && copyinstr(arg0) != ""/
{
	@ret["returns", copyinstr(arg0)] = count();
}

dtrace:::END
{
	printa("%s %@d\n", @);
	printa("%s %s %@d\n", @ret);
}
