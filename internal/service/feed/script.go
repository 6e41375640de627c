package feed

import (
	"crypto/sha256"
	_ "embed" // of the script
	"encoding/hex"
)

// ScriptPath is where the service has the script, and Script the script, which defines the
// element recoup-feed.
const ScriptPath = "/embed/recoup-feed.js"

// Script is the whole element: it asks for nothing but feeds.
//
//go:embed element/recoup-feed.js
var Script []byte

// ScriptTag names the script's content.
var ScriptTag = func() string {
	sum := sha256.Sum256(Script)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}()
