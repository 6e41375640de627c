package intake

import "recoup/internal/kit/yamltree"

// Error says what is wrong with a mapping, or with a file of an export as a
// whole, and where. Its Member is one of the mapping, such as
// rewards.columns.amount, or a column of the export.
type Error = yamltree.Error

// quote shows text of an export in a message, of which a report may have many:
// quoted, and cut early.
func quote(text string) string { return yamltree.QuoteUpTo(text, 24) }
