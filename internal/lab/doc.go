// Package lab has nothing of its own: it is the roof of the laboratory in which reward
// programs of many designs are examined, attacked and compared. Each of its rooms reads
// alone. What one finds goes down this list and never up:
//
//	walk      goes through sequences of moves: all of them, or down to a shortest one
//	design    the programs: issuers A to F of the paper's section 5, its algorithms of
//	          section 6 taken literally, Recoup, and what is the matter with each
//	examine   what a program does about refunds, by its answers alone: sections 4.3, 5.3
//	attack    the best an opportunistic customer can do: sections 3.4, 7.2 and 7.3
//	gaps      where the printed algorithms fall short: section 6
//	compare   the same customers at every design: section 4.1
//	export    what a design's own systems would export of it, for auditors to find out
//	report    all of that on one page
package lab
