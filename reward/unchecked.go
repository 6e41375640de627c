//go:build !checked

package reward

const checking = false
