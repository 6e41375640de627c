package audit

import "os"

// MergeFiles puts the parts in files together, as Merge does.
func MergeFiles(names []string) (*Report, error) {
	parts := make([]*Part, len(names))
	for i, name := range names {
		part, err := readPartFile(name)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return Merge(parts...)
}

func readPartFile(name string) (*Part, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadPart(name, f)
}
