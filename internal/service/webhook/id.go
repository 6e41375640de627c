package webhook

import (
	"crypto/sha256"
	"encoding/hex"
)

// idOf is the webhook-id of a notice. It follows from the body, which names the
// event, and not from the notice's number: a database restored from a backup
// numbers anew, and a receiver must neither take a new notice for an old one nor
// the other way round.
func idOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "msg_" + hex.EncodeToString(sum[:16])
}
