package model

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// A Form is a wire format.
type Form string

// The forms.
const (
	ChatCompletions Form = "chat completions" // POST …/chat/completions, as defined by OpenAI
	Messages        Form = "messages"         // POST …/messages, as defined by Anthropic
)

// KeyForURL is the variable with the key for the user's own address. Known providers' keys are never sent there.
const KeyForURL = "GAUNTLET_MODEL_KEY"

// A Provider is where a model is reached.
type Provider struct {
	Model string // model id for the provider
	Form  Form
	URL   string // endpoint with its path
	Key   string // "" for none
	// KeyName is the variable Key came from; messages show it in place of the key.
	KeyName string
	// Organization is sent with OpenAI's key; may be "".
	Organization string
}

// A family is one provider's models.
type family struct {
	ids      *regexp.Regexp
	form     Form
	base     string // default address, without the form's path
	baseName string // variable that overrides it, or ""
	keys     []string
}

// families maps id prefixes, from the providers' own lists of models, to providers.
var families = []family{
	{regexp.MustCompile(`^claude-`), Messages, "https://api.anthropic.com", "ANTHROPIC_BASE_URL", []string{"ANTHROPIC_API_KEY"}},
	{regexp.MustCompile(`^(gpt-|chatgpt-|o\d|text-|davinci-)`), ChatCompletions, "https://api.openai.com/v1", "OPENAI_BASE_URL", []string{"OPENAI_API_KEY"}},
	{regexp.MustCompile(`^(models/)?gemini-`), ChatCompletions, "https://generativelanguage.googleapis.com/v1beta/openai", "", []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
	{regexp.MustCompile(`^(open-)?(mistral|ministral|mixtral|codestral|magistral|devstral|pixtral)`), ChatCompletions, "https://api.mistral.ai/v1", "", []string{"MISTRAL_API_KEY"}},
}

// Resolve determines a model's provider from its id, the user's address ("" for none) and the environment. Its errors name missing
// variables but no values.
func Resolve(id, address string, getenv func(string) string) (Provider, error) {
	if strings.TrimSpace(id) == "" {
		return Provider{}, errors.New("a model needs an id, such as claude-sonnet-4-5 or gpt-5")
	}
	if address != "" {
		return atAddress(id, address, getenv(KeyForURL), KeyForURL, ChatCompletions)
	}
	for _, f := range families {
		if f.ids.MatchString(id) {
			return f.provider(id, getenv)
		}
	}
	// Everything that speaks OpenAI's form documents this variable for any model name.
	if base := getenv("OPENAI_BASE_URL"); base != "" {
		return atAddress(id, base, getenv("OPENAI_API_KEY"), "OPENAI_API_KEY", ChatCompletions)
	}
	return Provider{}, fmt.Errorf("no provider is known for the model %q: ids begin with claude-, gpt-, chatgpt-, o and a digit, gemini- or mistral; name any other endpoint with --model-url or OPENAI_BASE_URL", id)
}

func (f *family) provider(id string, getenv func(string) string) (Provider, error) {
	base := f.base
	own := f.baseName != "" && getenv(f.baseName) != ""
	if own {
		base = getenv(f.baseName)
	}
	for _, name := range f.keys {
		if key := getenv(name); key != "" {
			p, err := atAddress(id, base, key, name, f.form)
			if name == "OPENAI_API_KEY" {
				p.Organization = getenv("OPENAI_ORG_ID")
			}
			return p, err
		}
	}
	if own { // e.g. a proxy that adds the key itself
		return atAddress(id, base, "", f.keys[0], f.form)
	}
	return Provider{}, fmt.Errorf("the model %s needs a key, and %s is not set", id, strings.Join(f.keys, " or "))
}

// atAddress returns a provider for an address. One that ends in /messages uses the Messages form.
func atAddress(id, address, key, keyName string, form Form) (Provider, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Provider{}, errors.New("the address of the model is no URL that begins with http:// or https://")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Provider{}, fmt.Errorf("the address of the model has a user, a query or a fragment: give a key in %s", keyName)
	}
	if key != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return Provider{}, fmt.Errorf("the key of %s would go to %s without encryption: use https", keyName, u.Host)
	}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/messages"):
		form = Messages
	case strings.HasSuffix(path, "/chat/completions"):
		form = ChatCompletions
	case form == Messages:
		path = strings.TrimSuffix(path, "/v1") + "/v1/messages"
	default:
		path += "/chat/completions"
	}
	u.Path = path
	return Provider{Model: id, Form: form, URL: u.String(), Key: key, KeyName: keyName}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Host returns the host that requests go to, for messages.
func (p *Provider) Host() string {
	u, err := url.Parse(p.URL)
	if err != nil {
		return ""
	}
	return u.Host
}
