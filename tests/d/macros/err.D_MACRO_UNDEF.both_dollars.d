/*
 * With $$ both dollars are shown.
 *
 * message: macro argument $$1 is not defined
 * line: 10
 */

BEGIN
{
	trace($$1);
}
