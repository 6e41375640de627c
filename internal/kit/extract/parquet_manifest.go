package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// manifestFormat is the version of the folder.
const manifestFormat = 1

// manifest says what an export consists of.
type manifest struct {
	Format int           `json:"format"`
	Runs   []manifestRun `json:"runs"`
}

// manifestRun is what one run has added.
type manifestRun struct {
	Run int64  `json:"run"`
	At  string `json:"at"`
	// Files are those of events and entries that it has written, and the accounts as they
	// were then, which the next run replaces. Names are relative to the folder.
	Files []manifestFile `json:"files"`
}

type manifestFile struct {
	Table string `json:"table"`
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
}

// readManifest reads the manifest of a folder, which has none before the first run.
func readManifest(folder string) (*manifest, error) {
	m := &manifest{Format: manifestFormat, Runs: []manifestRun{}}
	name := filepath.Join(folder, manifestName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return m, m.empty(folder)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, m, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: expected the manifest of an export: %w", name, err)
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("%s: format: expected %d, found %d, which another version of this program has written", name, manifestFormat, m.Format)
	}
	return m, nil
}

// empty refuses a folder that has something and no manifest: it is somebody else's.
func (m *manifest) empty(folder string) error {
	list, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() != lockName && !slices.Contains(tables[:], e.Name()) {
			return fmt.Errorf("%s: expected an empty folder or one that was exported to, found %s and no %s", folder, e.Name(), manifestName)
		}
	}
	return nil
}

// write puts the manifest in the place of the one before.
func (m *manifest) write(folder string) error {
	text, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	name := filepath.Join(folder, manifestName)
	f, err := os.OpenFile(name+partEnding, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(name+partEnding, name)
	}
	if err == nil {
		err = syncFolder(folder)
	}
	return err
}

// current returns the files that an export consists of.
func (m *manifest) current() (list []manifestFile) {
	for i := range m.Runs {
		for _, f := range m.Runs[i].Files {
			if f.Table != "accounts" || i == len(m.Runs)-1 {
				list = append(list, f)
			}
		}
	}
	return list
}

// sweep removes the files of runs that were broken off, and of accounts that were replaced.
func (m *manifest) sweep(folder string) error {
	current := m.current()
	for _, table := range tables {
		list, err := os.ReadDir(filepath.Join(folder, table))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range list {
			name := table + "/" + e.Name()
			if slices.ContainsFunc(current, func(f manifestFile) bool { return f.Name == name }) {
				continue
			}
			if ending := filepath.Ext(name); ending != ".parquet" && ending != partEnding {
				return fmt.Errorf("%s: expected only files that were exported, found %s", folder, name)
			}
			if err := removeAll(filepath.Join(folder, name)); err != nil {
				return err
			}
		}
	}
	for _, f := range current {
		if _, err := os.Stat(filepath.Join(folder, f.Name)); err != nil {
			return fmt.Errorf("a file of the export is missing: %w", err)
		}
	}
	return nil
}
