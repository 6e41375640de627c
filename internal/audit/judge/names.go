package judge

// names finds facts of an account by their ids.
type names map[string]int32

// fewNames is from how many names on a map is left behind rather than emptied: to empty
// it takes as long as for the largest account before.
const fewNames = 1 << 10

func (n *names) reset() {
	if *n == nil || len(*n) > fewNames {
		*n = make(names)
		return
	}
	clear(*n)
}

// find returns the number that the id was added with, or none.
func (n names) find(id string) int32 {
	if at, ok := n[id]; ok {
		return at
	}
	return none
}

// add adds an id that find has not found.
func (n names) add(id string, at int32) { n[id] = at }
