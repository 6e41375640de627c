package foreign

// laterDesigns are fourteen designs: six sound ones and eight with a flaw.
var laterDesigns = []Design{
	laterDesignCapped,
	laterDesignHighWater,
	laterDesignReserve,
	laterDesignEarmark,
	laterDesignWholeDollar,
	laterDesignAnniversary,
	laterDesignStampCard,
	laterDesignBookYear,
	laterDesignLotFloor,
	laterDesignDailySweep,
	laterDesignTodaysRate,
	laterDesignStatusTier,
	laterDesignRedeemRebate,
	laterDesignPreAuth,
}
