package access

import "context"

// NoSource is the pattern of a source that no sender has: that of keys which people sign in
// with.
const NoSource = "recoup:none"

// Own links a key to the person of its name, who is made if there is none.
func (p *People) Own(ctx context.Context, key *Key) error {
	person, err := p.Named(ctx, key.Name)
	if err != nil {
		return err
	}
	_, err = p.Link(ctx, person.ID, key.ID)
	return err
}
