/*
 * reparent() wants a system and an event, as a constant.
 *
 * line: 9
 * message: reparent( ) argument #1 must be a string constant SYSTEM:EVENT of letters, digits and '_'
 */
BEGIN
{
	reparent("nothing");
}
