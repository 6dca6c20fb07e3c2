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

// A Cache keeps answers in a directory, one file each, named by the hash of the question. Files contain no question and no key:
// they can be committed and replayed offline. A nil Cache is empty and stores nothing. It is safe for concurrent use.
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

// recordVersion changes when older files would be misread.
const recordVersion = 1

// longestRecord bounds what is read of a file, in bytes.
const longestRecord = 2 * longestAnswer

// OpenCache opens the cache in a directory, creating it if necessary.
func OpenCache(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Cache{dir}, nil
}

// CacheKey identifies a question: it depends on whatever changes the answer, and on nothing else, such as the model's address.
func CacheKey(model, lane string, sample int, r *Request) string {
	text, err := json.Marshal(struct {
		Version int
		Model   string
		Lane    string
		Sample  int
		Request *Request
	}{recordVersion, model, lane, sample, r})
	if err != nil { // the types of a Request always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c *Cache) file(key string) string { return filepath.Join(c.dir, key[:2], key+".json") }

// Load returns the answer stored under a key. A damaged file counts as absent: the question is asked again.
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

// Store stores an answer. Files are written atomically, so a killed run leaves only usable ones.
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
		_ = os.Remove(f.Name()) // the error is reported already
		return fmt.Errorf("the cache: %w", err)
	}
	return nil
}
