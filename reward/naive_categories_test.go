package reward_test

import "recoup/reward"

// builtInCategories are the codes of the published categories, as the contract
// with users lists them.
var builtInCategories = map[string][][2]string{
	"GROCERY": {{"5411"}, {"5422"}, {"5441"}, {"5451"}, {"5462"}, {"5499"}},
	"GAS":     {{"5541"}, {"5542"}, {"5983"}},
	"DINING":  {{"5811", "5814"}},
	"TRAVEL":  {{"3000", "3999"}, {"4411"}, {"4511"}, {"4722"}, {"7011"}, {"7012"}, {"7512"}},
	"TRANSIT": {{"4111"}, {"4112"}, {"4121"}, {"4131"}, {"4784"}, {"7523"}},

	"DRUGSTORE":     {{"5912"}},
	"ENTERTAINMENT": {{"7832"}, {"7922"}, {"7929"}, {"7991"}, {"7996"}, {"7998"}, {"7999"}},
	"STREAMING":     {{"4899"}, {"5815", "5818"}},
	"HOME":          {{"5200"}, {"5211"}, {"5231"}, {"5251"}, {"5261"}},
	"DEPARTMENT":    {{"5309", "5311"}, {"5331"}},
	"CASH_LIKE":     {{"4829"}, {"6010", "6012"}, {"6050"}, {"6051"}, {"6211"}, {"6540"}, {"7800", "7802"}, {"7995"}},
}

func builtInCategory(code reward.MCC) string {
	for category, ranges := range builtInCategories {
		for _, r := range ranges {
			if first, last := r[0], max(r[0], r[1]); first <= code.String() && code.String() <= last {
				return category
			}
		}
	}
	return ""
}
