/*
 * timestamp has one value per clause however often it is read, and grows.
 *
 * opts: -q
 */

BEGIN
{
	this->a = timestamp;
	this->b = timestamp;
	first = timestamp;
	printf("%d %d\n", this->a == this->b, this->a > 0);
}
tick-10ms
{
	printf("%d\n", timestamp > first);
	exit(0);
}
