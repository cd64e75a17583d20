/*
 * What is less than amin in any component is refused, by name.
 *
 * opts: -x amin=Evolving/Evolving/Common
 * line: 10
 * message: attributes for scalar curthread (Stable/Private/Common) are less than predefined minimum
 */

dtrace:::BEGIN
{	trace(curthread);
	exit(0);
}
