// Package programs is the way of program files into a database, and of what it keeps of
// them to terms.
package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/program"
	"recoup/reward"
)

// Parse reads a program as a database keeps it.
func Parse(document []byte) (*reward.Program, error) {
	return program.Parse("program in the database", document)
}

// Open reads the programs of a database.
func Open(ctx context.Context, home record.Store) (*durable.Programs, error) {
	return durable.OpenPrograms(ctx, home, Parse, time.Now)
}

// File is a program file, and the id of the program in it.
type File struct {
	name, id string
	document []byte
}

// ReadFiles reads the files of --program: before a database is opened, which would be
// made in vain.
func ReadFiles(names []string) (files []File, err error) {
	for _, name := range names {
		document, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("--program: %w", err)
		}
		p, err := program.Parse(name, document)
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, p.ID, document})
	}
	return files, nil
}

// OpenWith reads the programs of a database, and puts those that are given and not there.
// A database without any is an error, unless it may have the everyday program then.
func OpenWith(ctx context.Context, home record.Store, given []File, everyday bool) (*durable.Programs, error) {
	programs, err := Open(ctx, home)
	if err != nil {
		return nil, err
	}
	for _, file := range given {
		if err := putOnce(ctx, programs, file.id, file.document); err != nil {
			return nil, fmt.Errorf("--program %s: %w", file.name, err)
		}
	}
	if _, ok := programs.Default(); !ok {
		if !everyday {
			return nil, errors.New("the database has no program: give one with --program FILE")
		}
		if err := putOnce(ctx, programs, program.Everyday().ID, program.EverydayDocument()); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// putOnce puts a program that is not in the database. One that is must be there
// as it stands in the file, in one of its versions.
func putOnce(ctx context.Context, programs *durable.Programs, id string, document []byte) error {
	versions := programs.Versions(id)
	for _, v := range versions {
		if bytes.Equal(v.Document, document) {
			return nil
		}
	}
	if len(versions) > 0 {
		return fmt.Errorf("program %q is in the database with other terms: publish new ones with PUT /v1/programs/%s", id, id)
	}
	_, _, err := programs.Put(ctx, id, document, 0, "recoup serve")
	return err
}
