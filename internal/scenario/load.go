package scenario

import (
	"io"
	"path/filepath"
	"strings"

	onDisk "recoup/internal/kit/files"
)

// Load returns a scenario of the catalogue by its name, or reads one from a file.
func Load(name string) (*Scenario, error) {
	if !strings.ContainsAny(name, `/\`) && filepath.Ext(name) == "" {
		return Find(name)
	}
	in, err := onDisk.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	const most = 1 << 20 // what Parse takes
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}
