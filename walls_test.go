// Package recoup_test keeps the walls between the packages.
package recoup_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// floors orders the rooms of the house: one may import only what lies on a lower floor.
// Folders below a room are of it; roofs are no rooms.
var floors = map[string]int{
	"reward": 1, "card": 1, "scope": 1,
	"store": 2, "ledger": 2, "flaw": 2, "program": 2, "event": 2, "issuer": 2, "budget": 2, "tabular": 1, "packed": 1, "vary": 1, "draws": 1, "page": 2, "yamltree": 2, "files": 2, "progress": 2, "signing": 2, "units": 2,
	"broker": 3, "source": 3, "sarif": 3, "engine": 3, "scenario": 3, "command": 3, "security": 3, "programs": 3, "intake": 3, "feed": 3, "drafts": 3,
	"server": 4, "console": 4, "lab": 4, "probe": 4, "audit": 4, "ingest": 4, "traffic": 4, "replay": 4,
	"access": 4, "webhook": 4, "verify": 4, "preview": 4, "rebuild": 4, "extract": 4, "observe": 4, "bench": 4,
	"accuracy": 4, "demo": 4, "approval": 4, "secrets": 4, "load": 4, "forget": 4,
	"consume": 4, "sources": 4, "sourcetest": 4, "brokertest": 4, "scratch": 4, "pgcluster": 4, "pgtest": 4, "inmemory": 4, "casebook": 4,
	"run": 5, "labtest": 5,
	"cli":     6,
	"clients": 7, "cmd": 7, "e2e": 7, "examples": 7, "tools": 7,
}

// withinFloor are the imports on one floor that the house allows: a store keeps
// its books with the ledger and events as they are on the wire, and reads files of shards,
// which are trees of YAML; program files are trees of YAML;
// the prober examines somebody else's program as the lab examines its designs;
// the console's playground shows the lab's designs under programs of the gallery, and its other pages who is signed
// in with which key, what a draft would change, what webhooks gave up, and what processors sent that could not be read;
// the server sets up where notices are sent, which people agree to, and hands out those that are fetched, and takes the webhooks of processors;
// audits and checks of a database put on the disk what memory does not hold;
// checkpoints are posted as webhooks are, whose secrets lie sealed beside others;
// an account is made anew from a log that verifies, and forgotten with one, off the lists of proposals and webhooks too; what is loaded has nothing that only
// people at a service could have decided;
// sample data is made up traffic, verified, with webhooks that failed and adjustments
// that people proposed.
var withinFloor = map[[2]string]bool{
	{"store", "ledger"}: true, {"store", "event"}: true, {"store", "yamltree"}: true,
	{"program", "yamltree"}: true,
	{"bench", "pgcluster"}:  true, {"pgtest", "pgcluster"}: true, {"audit", "scratch"}: true, {"verify", "scratch"}: true,
	{"probe", "lab"}: true, {"console", "lab"}: true, {"console", "examples"}: true,
	{"server", "webhook"}: true, {"server", "sources"}: true, {"forget", "sources"}: true, {"webhook", "access"}: true,
	{"console", "access"}: true, {"console", "preview"}: true, {"console", "webhook"}: true, {"console", "sources"}: true,
	{"approval", "access"}: true, {"server", "approval"}: true, {"console", "approval"}: true, {"verify", "approval"}: true, {"rebuild", "approval"}: true, {"demo", "approval"}: true,
	{"verify", "webhook"}: true, {"secrets", "webhook"}: true, {"secrets", "sources"}: true, {"rebuild", "sources"}: true, {"rebuild", "verify"}: true, {"forget", "verify"}: true, {"forget", "approval"}: true, {"load", "approval"}: true,
	{"accuracy", "lab"}: true, {"accuracy", "audit"}: true, {"accuracy", "probe"}: true, {"accuracy", "traffic"}: true,
	{"demo", "traffic"}: true, {"demo", "verify"}: true, {"demo", "webhook"}: true,
}

// roofs are folders that only hold rooms.
var roofs = map[string]bool{"internal": true, "service": true, "kit": true}

// labFloors orders the rooms of the lab in the same way: designs below what is found out
// about them, that below the reports of it.
var labFloors = map[string]int{
	"walk": 1, "design": 1,
	"examine": 2, "attack": 2, "gaps": 2, "compare": 2,
	"export": 3, "report": 3,
}

// room is the folder under the roofs that a path lies in.
func room(path string) string {
	folders := strings.Split(filepath.ToSlash(path), "/")
	for len(folders) > 1 && roofs[folders[0]] {
		folders = folders[1:]
	}
	return folders[0]
}

// module is the path of this module, as go.mod has it.
var module = func() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(strings.TrimSpace(line), "module ")
}()

type source struct {
	path, pack string // the file, and its room
	file       *ast.File
	positions  *token.FileSet
}

// sources parses every Go file that is not a test.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		positions := token.NewFileSet()
		f, err := parser.ParseFile(positions, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		list = append(list, source{path, room(path), f, positions})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 30 {
		t.Fatalf("found only %d source files: this test must run at the root of the module", len(list))
	}
	return list
}

func TestImportsPointDownwards(t *testing.T) {
	used, there := make(map[[2]string]bool), make(map[string]bool)
	for _, s := range sources(t) {
		there[s.pack] = true
		from, known := floors[s.pack]
		if !known {
			t.Errorf("%s: package %s has no floor in the house", s.path, s.pack)
			continue
		}
		for _, imported := range s.file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			ours, isOurs := strings.CutPrefix(path, module+"/")
			if !isOurs {
				continue
			}
			to := room(ours)
			if to == s.pack || floors[to] < from {
				continue
			}
			exception := [2]string{s.pack, to}
			if used[exception] = true; !withinFloor[exception] {
				t.Errorf("%s imports %s, which is not below it", s.path, path)
			}
		}
	}
	for exception := range withinFloor {
		if !used[exception] {
			t.Errorf("%s may import %s, and does not: take the exception away", exception[0], exception[1])
		}
	}
	for name := range floors {
		if !there[name] {
			t.Errorf("%s has a floor, and is not there", name)
		}
	}
}

// TestLabFlowsOneWay keeps the order of the rooms of the lab.
func TestLabFlowsOneWay(t *testing.T) {
	labRoom := func(path string) (string, bool) {
		rest, ok := strings.CutPrefix(filepath.ToSlash(path), "internal/lab/")
		name, _, nested := strings.Cut(rest, "/")
		return name, ok && (nested || !strings.HasSuffix(name, ".go"))
	}
	for _, s := range sources(t) {
		from, ok := labRoom(s.path)
		if !ok {
			continue
		}
		if labFloors[from] == 0 {
			t.Errorf("%s: the room %s has no floor in the lab", s.path, from)
		}
		for _, imported := range s.file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if to, ok := labRoom(strings.TrimPrefix(path, module+"/")); ok && to != from && labFloors[to] >= labFloors[from] {
				t.Errorf("%s imports %s, which is not below it in the lab", s.path, path)
			}
		}
	}
}

// TestCoreIsPure keeps I/O, clocks, chance, concurrency, floating point and
// other people's code out of the core. Of math/big it may have integers and exact
// fractions.
func TestCoreIsPure(t *testing.T) {
	forbidden := []string{"database/", "net", "os", "io", "math/rand", "sync", "context", "unsafe", "syscall"}
	for _, s := range sources(t) {
		if s.pack != "reward" {
			continue
		}
		for _, imported := range s.file.Imports {
			path, _ := strconv.Unquote(imported.Path.Value)
			if strings.Contains(strings.Split(path, "/")[0], ".") || strings.HasPrefix(path, module+"/") {
				t.Errorf("%s imports %s: the core uses the standard library alone", s.path, path)
			}
			for _, f := range forbidden {
				if path == strings.TrimSuffix(f, "/") || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/") {
					t.Errorf("%s imports %s", s.path, path)
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			at := func() token.Position { return s.positions.Position(n.Pos()) }
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%v: a goroutine in the core", at())
			case *ast.ChanType:
				t.Errorf("%v: a channel in the core", at())
			case *ast.BasicLit:
				if n.Kind == token.FLOAT || n.Kind == token.IMAG {
					t.Errorf("%v: a floating-point number in the core: %s", at(), n.Value)
				}
			case *ast.Ident:
				if strings.HasPrefix(n.Name, "float") || strings.HasPrefix(n.Name, "complex") {
					t.Errorf("%v: floating point in the core: %s", at(), n.Name)
				}
			case *ast.SelectorExpr:
				p, ok := n.X.(*ast.Ident)
				if ok && p.Name == "big" && strings.Contains(n.Sel.Name, "Float") {
					t.Errorf("%v: floating point in the core: big.%s", at(), n.Sel.Name)
				}
				if ok && p.Name == "time" {
					switch n.Sel.Name {
					case "Now", "Since", "Until", "Sleep", "After", "Tick", "NewTimer", "NewTicker", "Local":
						t.Errorf("%v: the core knows no clock: time.%s", at(), n.Sel.Name)
					}
				}
			}
			return true
		})
	}
}
