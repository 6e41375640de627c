package recoup

import "context"

// Account returns an account as of now.
func (c *Client) Account(ctx context.Context, account string) (*Account, error) {
	answer, err := c.GetAccount(ctx, account, nil)
	if err != nil {
		return nil, err
	}
	a, err := answer.AsAccount()
	return &a, err
}
