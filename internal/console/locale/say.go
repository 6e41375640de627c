package locale

import "fmt"

// Sprintf writes a sentence of the console's code as fmt.Sprintf does. Sentences go
// through it, whole and with their values apart, so that they can be said in another
// language: the format is what a translation is found by.
func (l *Locale) Sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
