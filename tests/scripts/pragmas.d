#!/usr/sbin/dtrace -s
/*
 * pragmas.d: options as a careful script sets them.
 */
#pragma D option quiet
#pragma D option bufsize=256k
#pragma D option aggsize=256k
#pragma D option dynvarsize=256k
#pragma D option specsize=64k
#pragma D option nspec=2
#pragma D option strsize=128
#pragma D option switchrate=50hz
#pragma D option aggrate=50hz
#pragma D option statusrate=10hz
#pragma D option cleanrate=50hz
#pragma D option bufpolicy=switch
#pragma D option bufresize=auto
#pragma D option stackframes=10
#pragma D option ustackframes=10
#pragma D option jstackframes=10
#pragma D option jstackstrsize=256
#pragma D option stackindent=4
#pragma D option rawbytes
#pragma D option aggsortkey
#pragma D option aggsortrev
#pragma D option aggsortpos=0
#pragma D option aggsortkeypos=0
#pragma D option defaultargs
#pragma D option destructive

syscall::write:entry
/pid == $target/
{
	@a["b second"] = count();
	@a["a third"] = count();
	@a["c first"] = count();
	raw = strlen($$1);
}

dtrace:::END
{
	printa("%s %@d\n", @a);
	printf("argument of %d\n", raw);
	system("echo shell %d", 40 + 2);
}
