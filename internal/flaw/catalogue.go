package flaw

import "slices"

// Code names a flaw: a class ("V1", "V3(b)"), a gap ("G1" to "G13") or, where
// neither the paper nor docs/semantics.md numbers it, a short name.
type Code string

// The gaps of docs/semantics.md, section 9.
const (
	G1  Code = "G1"
	G2  Code = "G2"
	G3  Code = "G3"
	G4  Code = "G4"
	G5  Code = "G5"
	G6  Code = "G6"
	G7  Code = "G7"
	G8  Code = "G8"
	G9  Code = "G9"
	G10 Code = "G10"
	G11 Code = "G11"
	G12 Code = "G12"
	G13 Code = "G13"
)

// Flaws that are met in programs and have no number.
const (
	// Compounding: each part of a refund takes its share of the reward that is
	// left, not of the one that was granted.
	Compounding Code = "compounding"
	// CurrentRate: a clawback is computed at the rate of the day of the refund.
	CurrentRate Code = "current-rate"
	// BonusKept: of a purchase's own reward, paid in two parts, a clawback takes the
	// base and leaves the extra. A bonus that is of no single purchase is
	// SpendBonusKept.
	BonusKept Code = "bonus-kept"
	// PartsIgnored: refunds of a part of a purchase take nothing.
	PartsIgnored Code = "parts-ignored"
	// UnlinkedIgnored: refunds that name no purchase take nothing.
	UnlinkedIgnored Code = "unlinked-ignored"
	// LateClawback: clawbacks come later than the close after their refund.
	LateClawback Code = "late-clawback"
	// OverClawed: clawbacks take more than the refund's share.
	OverClawed Code = "over-clawed"
	// SpendBonusKept: a bonus for spend or for a number of purchases (for signing up,
	// stamps) stays when these come back. Part of a purchase's own reward is BonusKept.
	SpendBonusKept Code = "spend-bonus-kept"
	// LevelKept: what a level of spend (a step, a tier) has lifted stays lifted when that
	// spend comes back.
	LevelKept Code = "level-kept"
	// ExpiredTaken: what has expired is taken back once more with its purchase.
	ExpiredTaken Code = "expired-taken"
	// ItemsIgnored: a refund takes the receipt's average, and not what the item that was
	// returned has earned.
	ItemsIgnored Code = "items-ignored"
)

// CodeOf returns the code of a class; Robust and Other have theirs too.
func CodeOf(c Class) Code { return Code(c) }

// Flaw describes one flaw. The texts are for people: engineers, auditors.
type Flaw struct {
	Code Code `json:"code"`
	// Title says in a few words what goes wrong.
	Title string `json:"title"`
	// Shows says in one sentence what the flaw does to money.
	Shows   string `json:"shows"`
	Mapping `json:",inline"`
	// Tier is the paper's tier of defence (section 7.3) that ends it: 1 prevention,
	// 2 temporal enforcement, 3 recovery; zero where none of them does.
	Tier int `json:"tier,omitzero"`
	// Remedy says what to change.
	Remedy string `json:"remedy"`
}

// Catalogue returns all flaws: classes, gaps, then the others.
func Catalogue() []Flaw { return slices.Clone(catalogue) }

// Find returns the flaw with that code.
func Find(code Code) (Flaw, bool) {
	i := slices.IndexFunc(catalogue, func(f Flaw) bool { return f.Code == code })
	if i < 0 {
		return Flaw{}, false
	}
	return catalogue[i], true
}

var (
	orphaned = Mapping{cweWorkflow, 1, Impacted, Impacted}
	mistimed = Mapping{cweWorkflow, 7, Impacted, Impacted}
	repeated = Mapping{CWE: cweOnce, Tampering: Impacted, Repudiation: Impacted}
	miscount = Mapping{CWE: cweSum, Tampering: Impacted, Repudiation: Impacted}
	window   = Mapping{cweWorkflow, 4, PartlyImpacted, PartlyImpacted}
)

var catalogue = []Flaw{
	{"V1", "refunds never take the reward back",
		"Whoever buys and returns keeps the whole reward, up to the cap, every cycle.", V1.Mapping(), 1,
		"Keep the reward of each purchase and take it back with every refund (Algorithms 1 and 2)."},
	{"V2", "only some refunds take the reward back, by the cycle they fall in",
		"A refund on the other side of the statement close leaves the reward in place.", V2.Mapping(), 2,
		"Take late refunds in at every close and claw back what earlier closes granted (Algorithm 4)."},
	{"V3(a)", "the clawback stops at zero or the debt is forgotten",
		"Whoever redeems first and returns then owes nothing.", V3a.Mapping(), 3,
		"Let the balance go below zero, keep the debt, and refuse to close an account that owes (assumption A4)."},
	{"V3(b)", "rewards can be redeemed before the clawback that waits",
		"Rewards come at settlement, clawbacks with the statement: in between, the reward of a refunded purchase can be taken.", V3b.Mapping(), 2,
		"Hold the reward from the moment the refund is known, or claw back at once."},
	{"G1", "a refund before the close is netted and then forgotten",
		"What is refunded after the close is divided by the full amount, so part of the reward stays on nothing.", miscount, 2,
		"Record both the base of the grant and what was reversed, and compute what remains from both."},
	{"G2", "a refund above what is left of the purchase is ignored, whole",
		"Return shipping on top of the price, or two refunds that overlap, leave the reward in place.", Mapping{CWE: cweQuantity, Tampering: Impacted, Repudiation: Impacted}, 1,
		"Take the refund for what is left of the purchase; never reject it."},
	{"G3", "a refund that arrives before its settlement is dropped",
		"The settlement then grants a reward on a purchase that is returned already.", orphaned, 1,
		"Keep early refunds until their purchase posts, and apply them then."},
	{"G4", "the same settlement grants twice",
		"A second delivery doubles the reward, and a refund takes back one of the two.", repeated, 1,
		"Grant once per transaction id."},
	{"G5", "the same refund takes twice",
		"A second delivery claws back again what was clawed back.", repeated, 1,
		"Take each refund id once."},
	{"G6", "the close forgets same-cycle refunds of purchases granted live",
		"A refund in the cycle of its purchase leaves the reward in place.", orphaned, 2,
		"Let the close level every granted purchase, not just the late ones."},
	{"G7", "a purchase refunded in full before the close never leaves PENDING",
		"The state is wrong, and a refund that bounces later finds no way back.", orphaned, 1,
		"Derive the state from the facts."},
	{"G8", "a redemption is not one checked step",
		"A negative amount, or the same redemption twice, moves money that it should not.", Mapping{CWE: cweQuantity, Tampering: Impacted, Repudiation: Impacted}, 3,
		"Validate and debit in one atomic step, once per redemption id."},
	{"G9", "chargebacks are missed, or lost disputes do not give back",
		"A chargeback after a partial refund leaves the rest of the reward, or the cardholder loses it for good.", orphaned, 1,
		"Take chargebacks in every state, and undo them when the dispute is lost."},
	{"G10", "clawbacks that wait can be redeemed away",
		"Between grace expiry and the next close the reward of a refunded purchase goes out as a float.", window, 2,
		"Hold what is about to be clawed back from the delivery of the refund on."},
	{"G11", "cap room that a refund frees is lost",
		"A purchase that the cap had cut stays unrewarded although the spend that used the cap was returned.", miscount, 1,
		"Compute the cycle's rewards again as if the refunded part had never been bought."},
	{"G12", "the cap counts in the wrong cycle",
		"Refunds across cycles, or refunds that bounce, let a cycle grant more than its cap, or less than was promised.", miscount, 1,
		"Count each cap per rule and cycle in which the purchase settled."},
	{"G13", "one cycle's reward is lost to whoever never comes back",
		"Redeem, return everything, and leave the debt behind.", Mapping{CWE: cweWorkflow, Tampering: PartlyImpacted, Repudiation: PartlyImpacted}, 0,
		"Let rewards mature: redeemable when the return window of their purchase is over and its last refund has had the days it takes to post."},
	{Compounding, "partial refunds compound",
		"Each part takes its share of the reward that is left, so parts that add up to the whole leave some.", miscount, 1,
		"Compute every clawback from the original reward."},
	{CurrentRate, "clawbacks use the rate of the day",
		"A purchase made in a promotion and returned after it keeps the difference.", miscount, 1,
		"Keep the original reward of each purchase and take back its share."},
	{BonusKept, "of a purchase's reward in two parts, the base is taken back and the extra stays",
		"Returning purchases at a raised rate leaves what was above the base rate.", miscount, 1,
		"Claw back the whole reward that the purchase earned, from every source."},
	{PartsIgnored, "partial refunds take nothing",
		"Returning a purchase in parts keeps the reward of all but the last.", orphaned, 1,
		"Claw back in proportion at every refund."},
	{UnlinkedIgnored, "refunds that name no purchase take nothing",
		"A return at the desk, on a card network that does not link it, leaves the reward in place.", orphaned, 1,
		"Match unlinked refunds to purchases, the best rewarded first."},
	{LateClawback, "clawbacks come later than one cycle",
		"The refunded reward is out for longer than the consistency bound allows.", mistimed, 2,
		"Take refunds in at the next close at the latest."},
	{OverClawed, "clawbacks take more than the refund's share",
		"Cardholders are short-paid on what they kept.", miscount, 1,
		"Round what remains down once, and take no more than the share."},
	{SpendBonusKept, "a bonus stays although the spend that earned it was returned",
		"Whoever buys for a bonus (for signing up, for a stamp card) and returns the goods keeps it.", orphaned, 1,
		"Work out from what is kept what each bonus is worth, at every refund, and take back the difference."},
	{LevelKept, "what a level of spend has lifted stays lifted when the spend is returned",
		"A large purchase that goes back has paid for the higher rate of all that are kept.", orphaned, 1,
		"Work out steps and tiers from what is kept, and bring every purchase to its rate of now."},
	{ExpiredTaken, "what has expired is taken back once more with its purchase",
		"Cardholders lose rewards of other purchases for one whose reward they never used.", miscount, 1,
		"Keep what expired by the cycle that it was earned in; what comes back of that cycle cancels it first."},
	{ItemsIgnored, "a refund takes the receipt's average, whichever item was returned",
		"Whoever buys what earns much beside what earns little, and returns it, keeps most of its reward; whoever returns the other loses too much.", orphaned, 1,
		"Keep what each item has earned, and let refunds name items."},
}
