/*
 * A lone #, #ident, #pragma, #pragma D and pragmas of others are ignored.
 *
 * opts: -q
 */

#
#ident "some version"
#pragma
#pragma D
#pragma ident "x"
#pragma weak foo
  #  pragma ident "indented"
BEGIN
{
	printf("ok\n");
	exit(0);
}
