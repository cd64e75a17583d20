/*
 * -F indents by entry and return: an arrow and two columns a level.
 *
 * opts: -F
 * target: t 1 1 quiet
 * needs: user
 */

pid$target:a.out:tail:entry,
pid$target:a.out:leaf:entry,
pid$target:a.out:leaf:return,
pid$target:a.out:work:entry,
pid$target:a.out:work:return
{
}
