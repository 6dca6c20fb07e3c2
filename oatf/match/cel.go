package match

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// The bounds of an expression. The text and its nesting bound parsing. The cost is counted
// as the expression runs, the same on every machine, and stops what would run away; the
// time limit is for what the cost misjudges.
const (
	maxExpressionText  = 10_000
	maxExpressionDepth = 100
	maxExpressionNodes = 2_000
	maxExpressionCost  = 1_000_000
	// ExpressionTime is how long one evaluation may take, as §5.7 recommends.
	ExpressionTime = 100 * time.Millisecond
	// Searches (matches) are not stopped once they run: these bound the instructions and the
	// message of an expression with one, together as maxRegexpWork does.
	maxMatchesProgram = 1_000
	maxMatchesMessage = maxRegexpWork / maxMatchesProgram
	// interrupt is after how many rounds of a loop the time is looked at.
	interrupt = 100
)

// An Expression is a CEL expression that asks something about a message (§6.3, SDK §4.3).
//
// It has CEL's own functions and macros and no others, so that documents stay portable. A
// number that is written as an integer and fits is an int, every other one a double: ints
// and doubles compare with each other, and arithmetic between them is an error, as CEL has
// it. Of members that repeat the last counts.
type Expression struct {
	parsed    *cel.Ast
	variables []string
	loops     bool // has a macro that goes through a list or a map
	matches   bool // searches for a regular expression

	once    sync.Once // for what is only needed to run
	program cel.Program
	err     error // it parses, and cannot be run
}

var errSlow = fmt.Errorf("it took longer than %s", ExpressionTime)

// environment is what all expressions share: standard CEL and the name of the message.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.ParserExpressionSizeLimit(maxExpressionText),
		cel.ParserRecursionLimit(maxExpressionDepth),
		cel.ExpressionNodeLimit(maxExpressionNodes),
		cel.RegexProgramSizeLimit(maxMatchesProgram),
		cel.Variable("message", cel.DynType),
	)
})

// ParseExpression reads an expression that speaks of the message and of these variables. It
// checks the syntax alone (V-014): a name that means nothing, or types that do not fit, are
// errors of running it.
func ParseExpression(s string, variables ...string) (*Expression, error) {
	if len(s) > maxExpressionText {
		return nil, fmt.Errorf("an expression of more than %d bytes", maxExpressionText)
	}
	env, err := environment()
	if err != nil {
		return nil, fmt.Errorf("CEL: %w", err)
	}
	parsed, issues := env.Parse(s)
	if parsed == nil {
		return nil, firstIssue(issues)
	}
	x := &Expression{parsed: parsed, variables: variables}
	nodes := 0
	ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		nodes++
		x.loops = x.loops || e.Kind() == ast.ComprehensionKind
		x.matches = x.matches || e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "matches"
	}))
	if nodes > maxExpressionNodes {
		return nil, fmt.Errorf("an expression of more than %d parts", maxExpressionNodes)
	}
	return x, nil
}

// compileProgram makes the program that runs.
func (x *Expression) compileProgram() {
	env, err := environment()
	if err != nil {
		x.err = err // ParseExpression would have failed
		return
	}
	x.program, x.err = env.Program(checked(env, x.parsed, x.variables),
		cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxExpressionCost), cel.InterruptCheckFrequency(interrupt))
}

// firstIssue returns the first fault and its place. CEL's own error quotes the whole line for
// each fault, with a caret below.
func firstIssue(issues *cel.Issues) error {
	all := issues.Errors()
	if len(all) == 0 {
		return errors.New("it is no expression")
	}
	msg := excerpt.Clip(strings.TrimPrefix(all[0].Message, "Syntax error: "), mostQuoted)
	if at := all[0].Location; at != nil && at.Line() > 0 {
		return fmt.Errorf("at %d:%d of it: %s", at.Line(), max(at.Column(), 0)+1, msg)
	}
	return errors.New(msg)
}

// checked returns the expression with its types worked out, which makes it run a third
// faster, or as it is if it has a fault that running it will tell.
func checked(env *cel.Env, parsed *cel.Ast, variables []string) *cel.Ast {
	if len(variables) > 0 {
		var declared []cel.EnvOption
		for _, name := range variables {
			declared = append(declared, cel.Variable(name, cel.DynType))
		}
		extended, err := env.Extend(declared...)
		if err != nil {
			return parsed
		}
		env = extended
	}
	if ast, _ := env.Check(parsed); ast != nil {
		return ast
	}
	return parsed
}

// An ErrorKind says why an expression or a condition gave neither true nor false, in the
// words of SDK §2.20.
type ErrorKind string

// The kinds.
const (
	TypeError    ErrorKind = "type_error"    // it gave something else than true or false
	CELError     ErrorKind = "cel_error"     // a name or member is missing, types do not fit, a limit is reached
	RegexTimeout ErrorKind = "regex_timeout" // searching a text could take too long
)

// An EvalError is the failure of one evaluation.
type EvalError struct {
	Kind ErrorKind
	Err  error
}

func (e *EvalError) Error() string { return e.Err.Error() }

func (e *EvalError) Unwrap() error { return e.Err }

// A Binding is a name of an expression and what it stands for; absent stands for null.
type Binding struct {
	Name  string
	Value rawjson.Value
}

// Eval runs the expression. ctx bounds all evaluations of a document together, and
// ExpressionTime this one. Every failure is an *EvalError.
func (x *Expression) Eval(ctx context.Context, bindings ...Binding) (bool, error) {
	if x.once.Do(x.compileProgram); x.err != nil {
		return false, &EvalError{CELError, x.err}
	}
	if ctx.Err() != nil {
		return false, &EvalError{CELError, context.Cause(ctx)}
	}
	if err := x.checkBindings(bindings); err != nil {
		return false, err
	}
	out, err := x.evaluateProgram(ctx, &activation{bindings: bindings})
	if err != nil {
		return false, &EvalError{CELError, explainError(err)}
	}
	b, ok := out.(types.Bool)
	if !ok {
		return false, &EvalError{TypeError, fmt.Errorf("the expression gives a %s and not true or false", out.Type().TypeName())}
	}
	return bool(b), nil
}

// checkBindings refuses a message that could take too long to search.
func (x *Expression) checkBindings(bindings []Binding) error {
	for _, b := range bindings {
		if n := len(b.Value.Raw()); x.matches && n > maxMatchesMessage {
			return &EvalError{RegexTimeout, fmt.Errorf("%d bytes are too many for an expression with matches; at most %d", n, maxMatchesMessage)}
		}
	}
	return nil
}

// evaluateProgram evaluates under the time limit. CEL looks at the time in loops alone, and watching it
// costs as much as a short expression: without a loop there is nothing to watch.
func (x *Expression) evaluateProgram(ctx context.Context, a *activation) (ref.Val, error) {
	if !x.loops {
		out, _, err := x.program.Eval(a)
		return out, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, ExpressionTime, errSlow)
	defer cancel()
	out, _, err := x.program.ContextEval(ctx, a)
	return out, err
}

// explainError names the limits in the words of this package.
func explainError(err error) error {
	var stopped interpreter.EvalCancelledError
	if errors.As(err, &stopped) && stopped.Cause == interpreter.CostLimitExceeded {
		return fmt.Errorf("the expression does more than %d steps", maxExpressionCost)
	}
	return err
}
