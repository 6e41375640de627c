package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// TermsAccount is the ledger's own account, whose log has the terms that were proposed and
// published. No sender may deliver events of it.
const TermsAccount = "recoup:terms"

// Programs are where terms are published; durable.Programs are.
type Programs interface {
	// Check says what Put would, and puts nothing.
	Check(ctx context.Context, id string, document []byte, effective reward.Instant) (added bool, err error)
	// PutApproved is Put of what was proposed under an id.
	PutApproved(ctx context.Context, id string, document []byte, effective reward.Instant, actor, proposal string) (v durable.ProgramVersion, added bool, err error)
}

// terms are the documents that were proposed, by digest.
const terms record.Table[termsRow] = "proposed_terms"

type termsRow struct {
	Program   string `json:"program"`
	Effective int64  `json:"effective,omitzero"`
	Document  string `json:"document"`
}

// DigestOf is what the log has of terms: the SHA-256, in hexadecimal, over "recoup terms
// 1", the program, from when on they are to be in force in RFC 3339 (nothing: as soon as
// can be) and the document, each on a line.
func DigestOf(program string, effective reward.Instant, document []byte) string {
	from := ""
	if effective != 0 {
		from = effective.String()
	}
	sum := sha256.Sum256(append(fmt.Appendf(nil, "recoup terms 1\n%s\n%s\n", program, from), document...))
	return hex.EncodeToString(sum[:])
}

// ProposeTerms keeps a version of a program, or a program, open for another person. The
// id is one that was never there, or that of a form or request that may be sent again.
// The error is a *durable.ProgramError, ErrNothingNew, or one of Propose.
func (b *Book) ProposeTerms(ctx context.Context, id, program string, document []byte, effective reward.Instant, reason string, by Person) (Proposal, error) {
	added, err := b.programs.Check(ctx, program, document, effective)
	switch {
	case err != nil:
		return Proposal{}, err
	case !added:
		return Proposal{}, ErrNothingNew
	}
	p := Proposal{
		Account: TermsAccount, Adjustment: id, Action: reward.ProgramPublished, About: program, Digest: DigestOf(program, effective, document),
		Reason: reason, Proposer: by,
	}
	err = b.records.Change(ctx, func(tx record.Tx) error {
		if _, there, err := adjusting(ctx, tx, id); err != nil || there {
			return err
		}
		if err := room(ctx, tx, by); err != nil {
			return err
		}
		return terms.Put(tx, p.Digest, &termsRow{program, int64(effective), string(document)})
	})
	if err != nil {
		return p, fmt.Errorf("storing proposed terms: %w", err)
	}
	p, _, err = b.Ask(ctx, p, Limits{})
	return p, err
}

// Terms returns the document that was proposed, and from when on it is to be in force;
// zero: as soon as can be. The error is ErrUnlogged if it is not what the log has the
// digest of.
func (b *Book) Terms(ctx context.Context, p *Proposal) (document []byte, effective reward.Instant, err error) {
	var row termsRow
	var ok bool
	err = b.records.Read(ctx, func(r record.Reader) (err error) {
		row, ok, err = terms.Get(ctx, r, p.Digest)
		return err
	})
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("reading proposed terms: %w", err)
	case !ok || DigestOf(row.Program, reward.Instant(row.Effective), []byte(row.Document)) != p.Digest || row.Program != p.About:
		return nil, 0, ErrUnlogged
	}
	return []byte(row.Document), reward.Instant(row.Effective), nil
}

// publishable says why terms that were proposed cannot be published, if they cannot.
func (b *Book) publishable(ctx context.Context, p *Proposal) error {
	if p.Action != reward.ProgramPublished {
		return nil
	}
	if b.programs == nil {
		return errors.New("terms cannot be published here")
	}
	document, effective, err := b.Terms(ctx, p)
	if err == nil {
		_, err = b.programs.Check(ctx, p.About, document, effective)
	}
	return err
}

// publish puts terms whose publication is in the log. Where they cannot be put any more,
// the note says why.
func (b *Book) publish(ctx context.Context, p *Proposal, d *decision) (note string, err error) {
	document, effective, err := b.Terms(ctx, p)
	if err != nil {
		return "", err
	}
	_, _, err = b.programs.PutApproved(ctx, p.About, document, effective, p.Proposer.Name+", approved by "+d.by.Name, p.Adjustment)
	if refused := (*durable.ProgramError)(nil); errors.As(err, &refused) {
		return "not published: " + refused.Err.Error(), nil
	}
	return "", err
}
