// Command doccheck says what in the documents leads nowhere: links to files and headings
// that are not there, paths and Go names that the code no longer has, quotations that
// differ from what they quote, and counts of files that are others by now.
//
//	go tool doccheck ROOT
//
// Of every *.md below ROOT it checks
//
//   - each relative link and picture: the file is there, and has the heading of the anchor;
//   - each path in backquotes that begins with a folder of ROOT: something is there
//     (* stands for any characters, and so do capitals, such as NAME);
//   - each link of a Go name in backquotes to a Go file: the file declares it;
//   - each block of code that says which file it is of (```go reward/levelling.go): its lines
//     are in the file, one after the other. A line of … alone stands for any others;
//   - each number of cases or scenario files: there are as many.
//
// Addresses elsewhere are not asked for.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "doccheck: expected the folder of the documents")
		os.Exit(2)
	}
	problems, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "doccheck:", err)
		os.Exit(2)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// check returns a line for each thing that leads nowhere, in the order of the documents.
func check(root string) ([]string, error) {
	paths, err := documents(root)
	if err != nil {
		return nil, err
	}
	c := checker{root: root, read: make(map[string]*document)}
	for _, path := range paths {
		d, err := c.document(path)
		if err != nil {
			return nil, err
		}
		c.links(d)
		c.paths(d)
		c.quotations(d)
		c.counts(d)
	}
	return c.problems, nil
}

// checker collects what is wrong. Documents are read once each.
type checker struct {
	root     string
	read     map[string]*document // by path below root
	problems []string
}

func (c *checker) say(d *document, line int, format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("%s:%d: %s", d.path, line, fmt.Sprintf(format, args...)))
}

// below is the path below root that a target written in a document stands for.
func below(d *document, target string) string {
	return filepath.ToSlash(filepath.Join(filepath.Dir(d.path), filepath.FromSlash(target)))
}

func (c *checker) there(path string) bool {
	found, err := filepath.Glob(filepath.Join(c.root, filepath.FromSlash(path)))
	return err == nil && len(found) > 0
}
