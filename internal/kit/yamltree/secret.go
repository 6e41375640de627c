package yamltree

import (
	"os"
	"strings"
)

// maxSecret is longer than any secret, in bytes.
const maxSecret = 4 << 10

// Secret reads the secret that a node refers to, as {env: NAME} or {file: NAME}. The document
// never has it itself.
func (n Node) Secret() (secret string, err error) {
	var variable, file string
	err = n.Mapping(
		Optional("env", func(n Node) (err error) {
			variable, err = n.Text("the name of an environment variable")
			return err
		}),
		Optional("file", func(n Node) (err error) {
			file, err = n.Text("the name of a file")
			return err
		}),
	)
	where := file
	switch {
	case err != nil:
		return "", err
	case (variable == "") == (file == ""):
		return "", n.Fail("expected either env or file")
	case variable != "":
		secret, where = os.Getenv(variable), "the environment variable "+variable
	default:
		data, err := os.ReadFile(file)
		if err != nil {
			return "", n.Fail("%v", err)
		}
		if len(data) > maxSecret {
			return "", n.Fail("%s: expected a secret, found more than %d bytes", file, maxSecret)
		}
		secret = string(data)
	}
	if secret = strings.TrimSpace(secret); secret == "" {
		return "", n.Fail("there is no secret in %s", where)
	}
	return secret, nil
}
