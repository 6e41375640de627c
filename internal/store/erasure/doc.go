// Package erasure is how an account is forgotten while its log stays verifiable.
//
// Each account has a key of its own, drawn when the account is made and kept in a table
// apart. What says who somebody is, the account's id, merchants, values of labels and attributes, and texts, has a token
// under that key: a keyed hash (HMAC-SHA-256). The hash chain over an account's events, and
// so checkpoints, cover events with these texts replaced by their tokens. To forget an
// account is to put the tokens in place of the texts in what is stored as well, and to
// destroy the key: the chain stays what it was, and from a token nobody finds the text, not
// even by trying, since the key is gone.
//
// The same text has the same token throughout an account, and another one in any other.
package erasure
