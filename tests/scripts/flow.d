#!/usr/sbin/dtrace -s
/* flow.d: calls as they nest. */
#pragma D option flowindent

pid$target:a.out:work:entry,
pid$target:a.out:branchy:entry,
pid$target:a.out:hidden:entry,
pid$target:a.out:work:return,
pid$target:a.out:branchy:return,
pid$target:a.out:hidden:return
{
	trace(probename);
}
