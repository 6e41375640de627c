package foreign

import (
	"fmt"
	"sort"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// nectarZone loads a zone of the embedded data.
func nectarZone(name string) *time.Location {
	z, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return z
}

// nectarMonth numbers the local month of an instant; nectarFirst is the first instant of one.
func nectarMonth(t time.Time, z *time.Location) int {
	t = t.In(z)
	return t.Year()*12 + int(t.Month()) - 1
}

func nectarFirst(month int, z *time.Location) time.Time {
	return time.Date(month/12, time.Month(month%12+1), 1, 0, 0, 0, 0, z)
}

func nectarMonthName(month int) string { return fmt.Sprintf("%04d-%02d", month/12, month%12+1) }

// nectarMonthly is the first instant after t that is on that day and hour of a month.
func nectarMonthly(t time.Time, z *time.Location, day, hour int) time.Time {
	for m := nectarMonth(t, z); ; m++ {
		if n := time.Date(m/12, time.Month(m%12+1), day, hour, 0, 0, 0, z); n.After(t) {
			return n
		}
	}
}

// nectarKeys are the keys of a map in order, since rows must not depend on chance.
func nectarKeys(m map[int]int64) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	return keys
}
