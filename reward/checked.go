//go:build checked

package reward

// checking has every event followed by a check of the whole account, which panics
// where an invariant does not hold. Build or test with -tags checked to look for
// the event that breaks one; the default tests check after every event themselves.
const checking = true
