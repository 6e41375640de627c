package foreign

import "os"

// long reports whether there is time.
func long() bool { return os.Getenv("RECOUP_LONG") != "" }

// often is how often something is done: more if there is time.
func often(short, longer int) int {
	if long() {
		return longer
	}
	return short
}
