package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Cache keeps answers in a directory, one file each, named by the hash of the question. The
// files hold no question and no key: they can be committed and replayed without network. A nil
// Cache is empty and keeps nothing. It is safe for concurrent use.
type Cache struct{ dir string }

// A Record is one file of a [Cache].
type Record struct {
	Version  int       `json:"version"`
	Model    string    `json:"model"`
	Lane     string    `json:"lane"`
	Sample   int       `json:"sample,omitempty"`
	Recorded time.Time `json:"recorded"`
	Answer   Answer    `json:"answer"`
}

// recordVersion changes when a file of before would be misread.
const recordVersion = 1

// longestRecord bounds what is read of one file, in bytes.
const longestRecord = 2 * longestAnswer

// OpenCache opens the cache in a directory, which is made if it is not there.
func OpenCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Cache{dir}, nil
}

// CacheKey is the name of a question: whatever changes the answer changes it, and nothing else
// does, such as where the model is asked.
func CacheKey(model, lane string, sample int, r *Request) string {
	text, err := json.Marshal(struct {
		Version int
		Model   string
		Lane    string
		Sample  int
		Request *Request
	}{recordVersion, model, lane, sample, r})
	if err != nil { // the types of a Request are all of JSON
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c *Cache) file(key string) string { return filepath.Join(c.dir, key[:2], key+".json") }

// Load returns the answer that is kept under a key. A file that is damaged counts as absent: the
// question is asked again.
func (c *Cache) Load(key string) (Answer, bool) {
	if c == nil {
		return Answer{}, false
	}
	info, err := os.Stat(c.file(key))
	if err != nil || info.Size() > longestRecord {
		return Answer{}, false
	}
	text, err := os.ReadFile(c.file(key))
	var r Record
	if err != nil || json.Unmarshal(text, &r) != nil || r.Version != recordVersion || r.Answer.Stop == "" {
		return Answer{}, false
	}
	return r.Answer, true
}

// Store keeps an answer. A file is there as a whole or not at all, so a run that is killed leaves
// only what can be used.
func (c *Cache) Store(key string, r Record) error {
	if c == nil {
		return nil
	}
	r.Version = recordVersion
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return c.write(c.file(key), append(text, '\n'))
}

func (c *Cache) write(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the cache: %w", err)
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return fmt.Errorf("the cache: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error is told already
		return fmt.Errorf("the cache: %w", err)
	}
	return nil
}
