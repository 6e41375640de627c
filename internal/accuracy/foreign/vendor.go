package foreign

// vendorDesigns are sixteen reward programs after what real ones publish: six sound ones
// first, then ten with one flaw each.
var vendorDesigns = []Design{
	vendorQuarterDesign,
	vendorStatementDesign,
	vendorJournalDesign,
	vendorWalletDesign,
	vendorWelcomeDesign,
	vendorMilesDesign,

	vendorCampaignDesign,
	vendorCapOpensDesign,
	vendorBoostDesign,
	vendorDebitDesign,
	vendorNightDesign,
	vendorHotelDesign,
	vendorPlanDesign,
	vendorWholeDesign,
	vendorStampsDesign,
	vendorStatusDesign,
}
