/*
 * Whether it is strict is a constant.
 *
 * message: inet_ntoa6( ) argument #2 must be an integer constant
 * line: 10
 */

BEGIN
{
	trace(inet_ntoa6((in6_addr_t *)alloca(16), pid));
}
