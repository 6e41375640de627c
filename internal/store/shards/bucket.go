package shards

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Buckets is how many buckets accounts are dealt out to. Buckets are dealt out to shards,
// so that a shard can be split without a look at what any other has.
const Buckets = 4096

// Bucket returns the bucket of an account: the first twelve bits of the SHA-256 hash of
// its id. PostgreSQL can reckon it too; see inBuckets. It can never change.
func Bucket(account string) int {
	hash := sha256.Sum256([]byte(account))
	return int(hash[0])<<4 | int(hash[1])>>4
}

// bucketInSQL is Bucket of the column account.
const bucketInSQL = `(get_byte(sha256(convert_to(account, 'UTF8')), 0) * 16 + get_byte(sha256(convert_to(account, 'UTF8')), 1) / 16)`

// Ranges are buckets: ranges in rising order, of which no two touch.
type Ranges []Range

// Range is the buckets from First to Last, both included.
type Range struct{ First, Last int }

// String writes ranges as files have them: 0-127, 200, 300-305.
func (r Ranges) String() string {
	texts := make([]string, len(r))
	for i, one := range r {
		if texts[i] = strconv.Itoa(one.First); one.Last > one.First {
			texts[i] += "-" + strconv.Itoa(one.Last)
		}
	}
	return strings.Join(texts, ", ")
}

// ParseRanges reads what String writes.
func ParseRanges(text string) (Ranges, error) {
	var r Ranges
	for one := range strings.SplitSeq(text, ",") {
		first, last, several := strings.Cut(strings.TrimSpace(one), "-")
		if !several {
			last = first
		}
		from, err := bucketNumber(first)
		if err != nil {
			return nil, err
		}
		to, err := bucketNumber(last)
		if err != nil {
			return nil, err
		}
		if to < from || len(r) > 0 && from <= r[len(r)-1].Last {
			return nil, fmt.Errorf("%s does not come after what is before it", strings.TrimSpace(one))
		}
		r = r.add(Range{from, to})
	}
	return r, nil
}

func bucketNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= Buckets || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("there is no bucket %q", text)
	}
	return n, nil
}

// add appends a range that comes after all others.
func (r Ranges) add(one Range) Ranges {
	if n := len(r); n > 0 && r[n-1].Last+1 == one.First {
		r[n-1].Last = one.Last
		return r
	}
	return append(r, one)
}

// Count returns how many buckets there are.
func (r Ranges) Count() (n int) {
	for _, one := range r {
		n += one.Last - one.First + 1
	}
	return n
}

// Halves divides the buckets in two.
func (r Ranges) Halves() (lower, upper Ranges) {
	left := (r.Count() + 1) / 2
	for _, one := range r {
		n := min(left, one.Last-one.First+1)
		if left -= n; n > 0 {
			lower = lower.add(Range{one.First, one.First + n - 1})
		}
		if one.First += n; one.First <= one.Last {
			upper = upper.add(one)
		}
	}
	return lower, upper
}

// even are the buckets of one of so many shards that have as many each, but for one.
func even(shard, shards int) Ranges {
	return Ranges{{shard * Buckets / shards, (shard+1)*Buckets/shards - 1}}
}

// inBuckets is the condition that the column account is in some of the buckets.
func (r Ranges) inBuckets() string {
	var any []string
	for _, one := range r {
		any = append(any, fmt.Sprintf("%s BETWEEN %d AND %d", bucketInSQL, one.First, one.Last))
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

// deal is which of the shards has each bucket, by its place in the list. A bucket that
// several have, or none, is an error that names it.
func deal(list []Shard) (of [Buckets]int16, err error) {
	for b := range of {
		of[b] = -1
	}
	for i := range list {
		for _, one := range list[i].Buckets {
			for b := one.First; b <= one.Last; b++ {
				if had := of[b]; had >= 0 {
					return of, fmt.Errorf("bucket %d is in two shards, %d and %d", b, list[had].Number, list[i].Number)
				}
				of[b] = int16(i)
			}
		}
	}
	if b := slices.Index(of[:], -1); b >= 0 {
		return of, fmt.Errorf("bucket %d is in no shard", b)
	}
	return of, nil
}

// has reports whether a bucket is among them.
func (r Ranges) has(bucket int) bool {
	return slices.ContainsFunc(r, func(one Range) bool { return one.First <= bucket && bucket <= one.Last })
}
