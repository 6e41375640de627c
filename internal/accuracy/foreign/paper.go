package foreign

// paperReturns is how the programs that use the returns desk publish it.
const paperReturns = " A return (refund or won dispute) that names its purchase counts against that purchase. " +
	"What is more than is left of it, and a return that names no purchase, counts against purchases of " +
	"the same merchant and category that have not been returned yet, then of the same merchant, then of the " +
	"same category, then any; each time those with the highest rate first and of these the latest first. What " +
	"finds no purchase counts against your next purchases; a return that names a purchase which has not posted " +
	"yet waits for it."

const paperDebt = " Your balance can fall below zero; what you earn then pays that debt first, without any limit in " +
	"time, and nothing can be redeemed until it is paid."

var paperDesigns = []Design{
	{
		Name:   "paper-journal-by-share",
		Source: "paper 5.3.1 (Issuer C: at once, both ways, debt for ever) and lemma 2",
		Published: "3% cash back on purchases in GROCERY, 2% in DINING, 1% on all others, without a cap; rounded down to " +
			"the cent for each purchase. Cash back is credited when the purchase posts and can be redeemed at once, from " +
			"$0.01. When some of a purchase is returned you keep of its cash back as recorded the same share that you " +
			"keep of the purchase, rounded down to the cent; this is booked when the return posts. A refund that bounces or a " +
			"dispute that is lost gives it back." + paperReturns + paperDebt,
		How: "Event-sourced: admitted commands are events of the account's journal, and folding them makes the entries. " +
			"Reversals are worked out from the immutable record and the total returned so far, so that parts cannot drift. " +
			"No statements: CloseStatement does nothing.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperJournal{} },
	},
	{
		Name:   "paper-month-recompute",
		Source: "paper 4.1 (the bound as a sum over categories of net spend) and 7.1 (aggregate computation)",
		Published: "Per calendar month, New York time, by the date of the purchase: GROCERY 4% on the first $800 and 1% above; FUEL " +
			"3% on the first $300 and 1% above; everything else 1%. What counts is the month's purchases less what " +
			"was ever returned of them. The month's cash back is rounded down to the cent once for the whole month. It is kept " +
			"up to date with each purchase and return as they post and can be redeemed at once, from $5.00 a " +
			"time. A return lowers the month of its purchase, whenever it comes, and that month's first $800 or $300 are " +
			"counted anew." + paperReturns + paperDebt,
		How: "Three net sums per month and account; after each change the month's reward is worked out anew and the difference " +
			"posted, under the names of what caused the change. No rewards of single purchases exist. A purchase dated in the future counts as of today. CloseStatement does nothing.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperMonthBook{} },
	},
	{
		Name:   "paper-ripe-after-window",
		Source: "paper 6 (grace period, taken to its end: per purchase and as long as the return window); pending points as loyalty platforms describe them (voucherify.io/glossary/pending-loyalty-points, help.loyaltylion.com article 20)",
		Published: "3% cash back in ONLINE, 2% in DINING, 1% elsewhere, no cap, rounded down to the cent for each purchase. Cash back " +
			"becomes yours 60 days (of 24 hours) after the purchase posted, on what has not been returned by then, and is not in the balance " +
			"before. It can then be redeemed at once, from $1.00 a time. What is returned later lowers the purchase's cash back to that of what is " +
			"left, when the return posts." + paperReturns + paperDebt,
		How: "A queue of purchases by due date, worked off by SetClock as of the time each was due; only ripe purchases have entries. " +
			"CloseStatement does nothing.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperRipe{} },
	},
	{
		Name:   "paper-net-tide",
		Source: "paper 4.1 (net spend) and 5.3.1 (Issuers D and E: at the close); 1.5% on net purchases as card terms put it (lawinsider.com/clause/cash-back-rewards)",
		Published: "1.5% cash back on net purchases: all purchases since the account was opened less all refunds and won disputes since then, " +
			"whether they name a purchase or not and even where they exceed it; no cap. The statement closes on the 20th of each month at 00:00 UTC; at the close " +
			"your cash back to date is brought to 1.5% of net purchases to date (nothing while these are below zero), rounded down to the " +
			"cent on the total to date. Net purchases below zero are carried on and later purchases fill them up first. Credited cash back can be redeemed " +
			"from $0.01, but at no time more than 1.5% of net purchases at that time less what has been redeemed before." + paperDebt,
		How: "One running number per account. Returns lower it at once, and with it what is redeemable; entries are made at the close " +
			"only, by the engine's own clock in SetClock, each as of the time it was due.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperTide{} },
	},
	{
		Name:   "paper-reserve-share",
		Source: "paper 7.3 (tiers of defence), a holdback in place of a waiting time for all",
		Published: "4% cash back at restaurants (MCC 5812, 5814), 3% at petrol stations (MCC 5541, 5542), 1% elsewhere, no cap, rounded down to the cent " +
			"for each purchase and credited when it posts. Of each credit one fifth, rounded up to the cent, stays on reserve for 45 days: it is in your " +
			"balance but cannot be redeemed before. The rest can be redeemed at once, from $0.01. When something is returned the purchase's " +
			"cash back falls to that of what is left, at once, and its reserve to a fifth of that." + paperReturns + paperDebt,
		How: "Balance is the sum of entries; what is redeemable is the balance less a queue of reserve slices, one per purchase, let go by date " +
			"on the next call. CloseStatement does nothing.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperReserve{} },
	},
	{
		Name:   "paper-debt-outlives-account",
		Source: "paper 6, assumption A4 (no closing with a debt), carried on after closing",
		Published: "Points worth one cent each: 3 points per whole dollar in DINING and TRAVEL, 1 point per whole dollar elsewhere, counted per purchase " +
			"(what is less than a dollar of a purchase earns nothing), no cap. Points are credited when the purchase posts and can be redeemed at " +
			"once, from 500 points. After a return a purchase has the points of the whole dollars that are left of it. You can close the " +
			"account unless it owes points; what is on it is then paid out, also below 500. Purchases that post while the account is closed earn nothing, returns " +
			"are booked all the same, and if you open the account again its debt is still there." + paperReturns + paperDebt,
		How: "Points are reckoned from what is left of each purchase, so that parts lose no less than the whole. Closing pays out by itself " +
			"(Payer); Open on a closed account opens that same account. CloseStatement does nothing.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperAfterlife{} },
	},
	{
		Name:   "paper-cycle-replay",
		Source: "paper 6, algorithm 4 and the remarks on caps after the theorem (cap accounting across cycles)",
		Published: "Statements close on the 5th of each month at 00:00 in Los Angeles. Per statement, GROCERY, FUEL and DINING together earn 5% on " +
			"the first $600 in the order they post, and 1% above; everything else earns 1%. A purchase belongs to the statement in which it posts. Cash back is rounded down to the cent " +
			"for each purchase, credited at the close, and can be redeemed from then on, from $0.01. What is returned counts as never bought: " +
			"before the close it is left out, and after the close that statement is rated again when the return posts, so that your other purchases of it may move up " +
			"into the 5%." + paperReturns + paperDebt,
		How: "At the close (by its own clock in SetClock, as of when due) the cycle's purchases are walked in order; a late return has " +
			"its cycle walked again and the difference posted for each purchase.",
		Class: "robust", Currency: "USD", New: func() Engine { return &paperReplay{} },
	},
	{
		Name:   "paper-debit-deaf",
		Source: "paper 5.1 (Issuer A: 5% in one category a month, about $50 a month)",
		Published: "5% cash back in the featured category, up to $50 of cash back per calendar month (UTC): GROCERY in January, April, July and October, DINING in " +
			"February, May, August and November, FUEL in March, June, September and December; above the $50 it earns nothing more. Every other purchase earns 0.5%, without a " +
			"cap. By the month in which the purchase posts, rounded down to the cent for each purchase; credited at once and redeemable at once, from $0.01. Cash back is for what you keep: " +
			"cash back on returned purchases is taken back in proportion.",
		How:   "Counters per month. Refunds and chargebacks are accepted and have no effect, linked or not. CloseStatement does nothing.",
		Class: "V1", Currency: "USD",
		Leak: "Buy groceries for $1,000.00 in January, redeem the $50.00, return them: the balance is $0.00 and nothing is owed. $50.00 ahead, " +
			"every month again.",
		New: func() Engine { return &paperDeaf{} },
	},
	{
		Name:   "paper-closed-books",
		Source: "paper 5.2 (Issuer B: computed and credited at the close)",
		Published: "3% cash back in GROCERY and FUEL, 1% elsewhere, on purchases less returns, no cap; a purchase belongs to the statement in which it posts. Statements close on the 12th of each month at 00:00 " +
			"UTC; the cash back of the statement is rounded down to the cent once for the whole statement and credited to the card account by itself at the close. There is nothing to redeem. Cash back on " +
			"returned purchases is taken back. A return that names no purchase, and what is returned above a purchase, is taken off the running statement in its category " +
			"(3% if no category is given); a statement that is not above zero is carried on into the next. A return that names a purchase which has not posted yet waits for it.",
		How: "Two counters per cycle, set back at the close, which runs by its own clock in SetClock as of when due. A return that names a purchase lowers them if that " +
			"posted in the running cycle; otherwise it has no effect. One that names none always lowers them.",
		Class: "V2", Currency: "USD",
		Leak: "Buy groceries for $1,000.00 on the 5th; on the 12th $30.00 are credited; return them on the 14th: nothing is taken back then or at any " +
			"later close. $30.00 ahead.",
		New: func() Engine { return &paperClosed{} },
	},
	{
		Name:   "paper-ninety-day-table",
		Source: "paper 6 (records must not be thrown away after some cycles), done wrong",
		Published: "4% cash back in DINING, 3% in TRAVEL, 1% elsewhere, no cap, rounded to the nearest cent for each purchase (half a cent up), credited when it posts " +
			"and redeemable at once, from $20.00 a time. When something is returned the purchase's cash back becomes that of what is left, " +
			"rounded the same way. A return that names no purchase, and what is returned above a purchase, counts against the purchase that is most like it, then the next: by merchant, " +
			"then category, then amount, then those with the highest rate, then the latest; if there is none, against your next purchases. A return that names a purchase which has not posted yet waits for it." + paperDebt,
		How: "Purchases are looked up in a table that is cleared, on each call, of those that posted 90 days ago or earlier. A return of one of these has no effect; a return " +
			"without a name is matched with what is in the table. CloseStatement does nothing.",
		Class: "V2", Currency: "USD",
		Leak: "Buy a ticket for $2,000.00 (TRAVEL), redeem $60.00, cancel it on day 91: nothing is taken back. $60.00 ahead. On day 89 it is all " +
			"taken back, as a debt.",
		New: func() Engine { return &paperTable{} },
	},
	{
		Name:   "paper-night-file-floor",
		Source: "paper 4.3, V3(a): the handler fires and the balance is floored at zero",
		Published: "5% cash back in ONLINE, 1% elsewhere, no cap, rounded down to the cent for each purchase. Credited in the night after the purchase posts (00:00 UTC) and " +
			"redeemable from then on, from $0.01. When something is returned, cash back falls to that of what is left of the purchase, in the night after the return " +
			"posts." + paperReturns,
		How: "The day's purchases and returns are lines of a file that SetClock reads at the next midnight, credits first. A debit takes at most what is on the " +
			"balance; the rest of it is dropped for good. CloseStatement does nothing.",
		Class: "V3(a)", Currency: "USD",
		Leak: "Buy for $400.00 in ONLINE, redeem $20.00 the next day, return it: the balance stays at $0.00, and the next purchase earns in " +
			"full. $20.00 ahead.",
		New: func() Engine { return &paperNightFile{} },
	},
	{
		Name:   "paper-spent-lots",
		Source: "paper 4.3, V3(a), in an architecture of lots",
		Published: "Points worth one cent each: 2 points per dollar in GROCERY and TRAVEL, 1 point elsewhere, that is 2% and 1% of the purchase, rounded down to " +
			"whole points for each purchase, no cap. Credited when it posts, redeemable at once, from 100 points, the oldest first; points expire 24 months after they were credited. The points of what you " +
			"return are taken back when the return posts." + paperReturns,
		How: "Each purchase has a lot of points; redeeming uses up the oldest lots; a return cancels points of its purchase's lot as far as there are any left. " +
			"Spent ones are not owed, and other lots are not touched. Expiry is posted on the next call, as of its date. CloseStatement does nothing.",
		Class: "V3(a)", Currency: "USD",
		Leak: "Buy groceries for $1,000.00 (2,000 points), redeem all, return them: nothing is left in the lot, nothing is owed. $20.00 ahead. Points of a later " +
			"purchase stay untouched even if they are there when the return comes.",
		New: func() Engine { return &paperLots{} },
	},
	{
		Name:   "paper-float-to-statement",
		Source: "paper 5.3.2 (Issuer F: at once on purchases, at the close on returns)",
		Published: "Points worth one cent each: 3% of the purchase in TRAVEL, 2% in DINING and GROCERY, 1.5% elsewhere, rounded down to whole points for each purchase, no cap. " +
			"Credited when the purchase posts and redeemable at once, from 1 point. Returns are deducted with the statement of the calendar month (UTC) in which they post: a purchase then has the " +
			"points of what is left of it." + paperReturns + paperDebt,
		How: "Returns are listed and worked off by CloseStatement (not by SetClock), once the month they came in is over, as of the time of that call. Until then they change neither the balance nor what " +
			"is redeemable.",
		Class: "V3(b)", Currency: "USD",
		Leak: "Buy a ticket for $1,000.00, cancel it the same day, and then redeem the $30.00, which are still there until the month ends. Then the balance " +
			"is -$30.00, and who does not use the card any more never pays it. $30.00 ahead.",
		New: func() Engine { return &paperFloat{} },
	},
	{
		Name:   "paper-slow-takeback",
		Source: "paper 4.3, V3(b), and what happens without assumption A4 (section 6)",
		Published: "5% cash back at petrol stations (MCC 5541, 5542), 2% at supermarkets (MCC 5411), 1% elsewhere, no cap, rounded down to the cent for each purchase; " +
			"credited when it posts and redeemable at once, from $0.01. When a return is final, 30 days after it posted, the purchase's cash back falls to that " +
			"of what is left. You can close the account unless its balance is below zero; what has not been redeemed is then forfeited, and a closed account cannot be opened again." +
			paperReturns + paperDebt,
		How: "Each return waits 30 days in its account's queue and is then booked, on the next call, as of its date. While it waits, the cash back can be redeemed and " +
			"the account be closed; a closed account's queue is not worked off. CloseStatement does nothing more than any call.",
		Class: "V3(b)", Currency: "USD",
		Leak: "Buy for $600.00 at a petrol station, return it, redeem the $30.00 within 30 days, and close the account: nothing is owed any more. $30.00 ahead. Without closing: a " +
			"debt of $30.00 that only further purchases pay.",
		New: func() Engine { return &paperSlow{} },
	},
	{
		Name:   "paper-guard-rejects",
		Source: "paper 6, algorithms 1 to 3, with the guard of algorithm 2 to the letter",
		Published: "5% cash back in GROCERY and 3% in DINING, each up to $25.00 of cash back per calendar month (UTC), above which they earn nothing more; 1% elsewhere, without a cap. Rounded down to " +
			"the cent for each purchase, in the order they post; credited when the purchase posts and redeemable at once, from $0.01. When some of a purchase is returned you keep of its cash back the same share " +
			"that you keep of the purchase, rounded down to the cent. If it is returned in the month in which it posted, the $25.00 have that much room again; purchases that posted in the meantime " +
			"are not rated again." + paperReturns + paperDebt,
		How: "A refund that with those before it is above the purchase's amount is taken for invalid and has no effect at all, not even for what is left of the purchase. All other returns are " +
			"booked at once by share. Chargebacks of all that is left always are. CloseStatement does nothing.",
		Class: "other", Currency: "USD",
		Leak: "Parts that add up to more than the purchase: buy groceries for $500.00 ($25.00), redeem, have $1.00 refunded as a price adjustment ($0.05 taken), then return the goods and get the " +
			"$500.00 of the receipt: above the amount with the $1.00, so nothing is taken. $24.95 ahead. Or one refund of $501.00 with $1.00 of postage: $25.00 ahead.",
		New: func() Engine { return &paperGuard{} },
	},
	{
		Name:   "paper-cap-refill",
		Source: "paper 6, the remarks on algorithm 2 (lowering the counter by what it never held, or in another period)",
		Published: "6% cash back in ONLINE, up to $30.00 of cash back for the purchases of a calendar month (UTC, by the day they post), above which they earn nothing more; 1% elsewhere, without a cap. Rounded down to the cent " +
			"for each purchase, in the order they post; credited when it posts and redeemable at once, from $10.00 a time. When some of a purchase is returned you keep of its cash back the same share that you keep of the " +
			"purchase, rounded down to the cent, and the room that this purchase had taken up of its own month's $30.00 is free again while the month lasts." + paperReturns + paperDebt,
		How: "Reversals are exact. But the meter of the running month is let down by 6% of every amount returned in ONLINE, also where the purchase had earned less since the cap was reached, and also where it was of an earlier month. " +
			"CloseStatement does nothing.",
		Class: "other", Currency: "USD",
		Leak: "Buy for $500.00 in ONLINE ($30.00, the cap), buy something else for $500.00 ($0.00), return that ($0.00 taken, but the meter is at zero), buy for $500.00 again: $30.00 more. $60.00 in a month " +
			"that pays $30.00 at most: $30.00 ahead per round, as often as one likes.",
		New: func() Engine { return &paperRefill{} },
	},
}
