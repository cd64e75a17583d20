/*
 * Options for kernel symbols, linking and caches are checked, and change nothing.
 *
 * opts: -q -x kdefs -x knodefs -x udefs -x unodefs -x strip -x late=static -x lazyload=always -x linkmode=primary -x linktype=ELF -x ldpath=/usr/bin/ld -x objcopypath=objcopy -x pgmax=many
 */

BEGIN
{
	printf("ok\n");
	exit(0);
}
