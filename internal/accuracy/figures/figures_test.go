package figures_test

import (
	"io"
	"strings"
	"testing"

	"recoup/internal/accuracy/figures"
)

func part(of, text string) figures.Part {
	return figures.Part{Of: of, By: "a command", Write: func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n\n")
		return err
	}}
}

func TestReplace(t *testing.T) {
	first, err := figures.Replace(nil, []figures.Part{part("a", "1"), part("b", "2")})
	if err != nil {
		t.Fatal(err)
	}
	document := "by hand\n" + string(first) + "by hand too\n"
	second, err := figures.Replace([]byte(document), []figures.Part{part("b", "3")})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(document, "\n2\n", "\n3\n", 1); string(second) != want {
		t.Errorf("the document is\n%s\nwant\n%s", second, want)
	}
	if _, err := figures.Replace([]byte(document), []figures.Part{part("c", "4")}); err == nil {
		t.Error("a part without a place was written")
	}
}
