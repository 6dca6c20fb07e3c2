package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/yamltext"
	"gauntlet/internal/run/userfile"
	"gauntlet/rawjson"
)

// fine are flags that few command lines need, the rarest first: limits, what asking a model may cost, and what a test bench sets once.
// Help names those that are too many to be described; they are meant for a settings file.
var fine = strings.Fields(`verbatim-cards push-anywhere force-elicitation negotiate address-file progress agent-idle allow-origin allow-host max-depth max-items max-pages
	max-message model-parallel model-timeout model-prices model-cache offline total-timeout grace turns agent-timeout parallel max-bytes max-calls max-tokens max-cost model-url`)

// mostFlags is how many flags the help of a command describes.
const mostFlags = 35

// mostSettings is the longest settings file, in bytes.
const mostSettings = 1 << 20

// addSettings adds --settings, whose file gives commands flags: what the command line says itself stays. No such file is looked for.
func (a *app) addSettings(root *cobra.Command) {
	file := ""
	root.PersistentFlags().StringVar(&file, "settings", "", "take further flags from this YAML `FILE`, by command: {scan: {max-bytes: 64MiB}} (default none)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if file == "" {
			return nil
		}
		text, err := a.readText(file, mostSettings)
		if err == nil {
			err = applySettings(cmd, text)
		}
		if err != nil {
			return usage(cmd, "--settings %s: %s", file, userfile.Reason(err))
		}
		return nil
	}
}

// applySettings sets the flags that a settings file has for a command. All of the file must be right, so that a typing error in it
// does not leave a limit out.
func applySettings(cmd *cobra.Command, text string) error {
	var tree rawjson.Tree
	root, err := yamltext.Object(&tree, text, "a settings file", "the flags of commands, as {scan: {max-bytes: 64MiB}}", mostSettings)
	if err != nil {
		return err
	}
	for m := range root.Members() {
		name := m.Key.Text()
		of, rest, err := cmd.Root().Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || of == cmd.Root() || m.Value.Kind() != rawjson.Object {
			return fmt.Errorf("want the flags of a command: %s is none, or has none", name)
		}
		for flag := range m.Value.Members() {
			if err := applySetting(cmd, of, flag.Key.Text(), flag.Value); err != nil {
				return fmt.Errorf("%s: %s: %w", name, flag.Key.Text(), err)
			}
		}
	}
	return nil
}

// applySetting sets a flag of a command, if it is the one that runs and its command line does not set it.
func applySetting(runs, of *cobra.Command, name string, v rawjson.Value) error {
	flag := of.Flags().Lookup(name)
	if flag == nil || slices.Contains([]string{"help", "settings", "version"}, name) {
		return errors.New("the command has no such flag")
	}
	if of != runs || flag.Changed {
		return nil
	}
	if v.Kind() != rawjson.Array {
		return setFlag(of, name, v)
	}
	for _, one := range v.Elements() {
		if err := setFlag(of, name, one); err != nil {
			return err
		}
	}
	return nil
}

func setFlag(of *cobra.Command, name string, v rawjson.Value) error {
	switch v.Kind() {
	case rawjson.String:
		return of.Flags().Set(name, v.Text())
	case rawjson.Array, rawjson.Object, rawjson.Null:
		return errors.New("want a text, a number, true or false, or a list of these")
	}
	return of.Flags().Set(name, v.Raw())
}
