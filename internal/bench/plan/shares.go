package plan

import "math"

// Buckets is how many buckets accounts are hashed to; a shard has some of them.
const Buckets = 4096

// single is how many accounts, the most active ones, are dealt out one by one. All others
// together are spread evenly: each has so little of the load that chance makes no
// difference to a bucket, which has thousands of them.
const single = 1 << 20

// Shares returns which share of all events each shard has, in order of the shards. The
// account with rank r, from one, is as active as r to the power of -skew: with 0 all are
// alike, with 1 the most active of 10^8 accounts has a twentieth of all events.
func Shares(accounts int, skew float64, shards int) []float64 {
	buckets := make([]float64, Buckets)
	total := 0.0
	for rank := range min(accounts, single) {
		weight := math.Pow(float64(rank+1), -skew)
		buckets[scatter(uint64(rank))%Buckets] += weight
		total += weight
	}
	if accounts > single {
		rest := integral(single+0.5, float64(accounts)+0.5, skew)
		for i := range buckets {
			buckets[i] += rest / Buckets
		}
		total += rest
	}
	shares := make([]float64, shards)
	for i, weight := range buckets {
		shares[i*shards/Buckets] += weight / total
	}
	return shares
}

// integral is that of x to the power of -skew.
func integral(from, to, skew float64) float64 {
	if skew == 1 {
		return math.Log(to / from)
	}
	return (math.Pow(to, 1-skew) - math.Pow(from, 1-skew)) / (1 - skew)
}

// scatter stands for the hash of an account's id (the finalizer of splitmix64).
func scatter(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
