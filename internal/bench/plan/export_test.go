package plan

import "math"

// ExactShares is Shares with every account dealt out by itself.
func ExactShares(accounts int, skew float64, shards int) []float64 {
	list := make([]float64, shards)
	total := 0.0
	for rank := range accounts {
		weight := math.Pow(float64(rank+1), -skew)
		list[int(scatter(uint64(rank))%Buckets)*shards/Buckets] += weight
		total += weight
	}
	for i := range list {
		list[i] /= total
	}
	return list
}
