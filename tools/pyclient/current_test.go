package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const clients = "../../clients/"

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(clients + file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestTheClientsAreCurrent: what is generated is what the document makes of it today.
func TestTheClientsAreCurrent(t *testing.T) {
	document := read(t, "openapi.json")
	code, err := generate(document)
	if err != nil || !bytes.Equal(code, read(t, "python/recoup/api.py")) {
		t.Errorf("clients/python/recoup/api.py is not what the document makes of it (%v): run make clients", err)
	}
	made := filepath.Join(t.TempDir(), "api.gen.go")
	cmd := exec.Command("go", "tool", "-modfile=tools/go.mod", "oapi-codegen", "-config", "clients/go/oapi-codegen.yaml", "-o", made, "clients/openapi.json")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if code, err = os.ReadFile(made); err != nil || !bytes.Equal(code, read(t, "go/api.gen.go")) {
		t.Errorf("clients/go/api.gen.go is not what the document makes of it (%v): run make clients", err)
	}
	// That of TypeScript is made with node, which may not be here: it says what it is made of.
	if made := strings.Fields(string(read(t, "typescript/src/api/document.sha256"))); len(made) == 0 || made[0] != fmt.Sprintf("%x", sha256.Sum256(document)) {
		t.Errorf("clients/typescript/src/api is of the document with the digest %v, not of this one: run make clients, which needs node", made)
	}
}

// What the generator has no type for it says, and where.
func TestWhatHasNoType(t *testing.T) {
	for text, want := range map[string]string{
		`{"components":{"schemas":{"A":{"properties":{"x":{"type":"number"}}}}}}`:                                    "A.x: a number",
		`{"components":{"schemas":{"A":{"properties":{"x":{"type":"object","properties":{"y":{}}}}}}}}`:              "A.x: an object",
		`{"components":{"schemas":{"A":{"properties":{"x":{"anyOf":[{}]}}}}}}`:                                       "A.x: allOf and anyOf",
		`{"components":{"schemas":{"A":{"properties":{"x":{"$ref":"elsewhere"}}}}}}`:                                 "A.x: expected a schema",
		`{"paths":{"/a":{"get":{"operationId":"a","responses":{"404":{}}}}}}`:                                        "GET /a: no answer",
		`{"paths":{"/a":{"get":{"operationId":"a","parameters":[{"name":"from","in":"query"}],"responses":{}}}}}`:    "Python has that name",
		`{"paths":{"/a":{"get":{"operationId":"a","parameters":[{"name":"x","in":"cookie"}],"responses":{}}}}}`:      "the parameter x is in cookie",
		`{"paths":{"/a":{"get":{"operationId":"a","responses":{"200":{"content":{"a/b":{"schema":{"allOf":[]}}}}}}}`: "unexpected end",
	} {
		if _, err := generate([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}
