package console

// notices are what a page says was done, by the key that is in its address. That
// way nobody can put words of their own into a page by a link.
var notices = map[string]string{
	"signed-out": "You are signed out.",
	"replayed":   "The delivery is tried again at once.",
	"published":  "The version is published.",
}
