package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// axe-core, which is no part of this repository: the version, where it is had, and
// what the registry says that its bytes are.
const (
	axeName      = "axe-core-4.10.3.tgz"
	axeAddress   = "https://registry.npmjs.org/axe-core/-/" + axeName
	axeIntegrity = "Xm7bpRXnDSX2YE2YFfBk2FnF0ep6tmG7xPh8iHee8MIcrgq762Nkce856dYtJYLkuIoYZvGfTs/PbZhideTcEg==" // SHA-512
	axeFile      = "package/axe.min.js"
	largestAxe   = 32 << 20
)

// axeSource is the script of axe-core, from the user's cache, or from the registry
// the first time.
var axeSource = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("axe-core is kept in the user's cache: %w", err)
	}
	return fetched(filepath.Join(cache, "recoup", axeName), axeAddress)
})

// fetched is the script in the archive that a file holds, which is fetched from an
// address if the file is not there or holds something else.
func fetched(file, address string) (string, error) {
	if archive, err := os.ReadFile(file); err == nil && integrity(archive) == axeIntegrity {
		return scriptIn(archive)
	}
	archive, err := download(address)
	if err != nil {
		return "", fmt.Errorf("the accessibility tests need axe-core once from the npm registry: "+
			"let this machine reach %s, or put that file at %s: %w", address, file, err)
	}
	if got := integrity(archive); got != axeIntegrity {
		return "", fmt.Errorf("%s: expected the SHA-512 %s, found %s", address, axeIntegrity, got)
	}
	if err := keep(file, archive); err != nil {
		return "", fmt.Errorf("keep axe-core: %w", err)
	}
	return scriptIn(archive)
}

func integrity(archive []byte) string {
	sum := sha512.Sum512(archive)
	return base64.StdEncoding.EncodeToString(sum[:])
}

func download(address string) ([]byte, error) {
	client := http.Client{Timeout: patience}
	response, err := client.Get(address)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	return io.ReadAll(io.LimitReader(response.Body, largestAxe))
}

// keep writes a file so that others, who may be writing it too, find all of it or
// nothing.
func keep(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(file), ".part-")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if _, err := part.Write(content); err != nil {
		part.Close()
		return err
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), file)
}

// scriptIn is the script in an archive whose integrity is known.
func scriptIn(archive []byte) (string, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return "", err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err != nil {
			return "", fmt.Errorf("look for %s in %s: %w", axeFile, axeName, err)
		}
		if header.Name == axeFile {
			content, err := io.ReadAll(io.LimitReader(files, largestAxe))
			return string(content), err
		}
	}
}
