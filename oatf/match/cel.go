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

// Limits of an expression. Length and nesting bound parsing. The cost, counted while the expression runs and the same
// on every machine, stops runaway evaluations; the time limit covers what the cost misjudges.
const (
	maxExpressionText  = 10_000
	maxExpressionDepth = 100
	maxExpressionNodes = 2_000
	maxExpressionCost  = 1_000_000
	// ExpressionTime is the time limit of one evaluation, as §5.7 recommends.
	ExpressionTime = 100 * time.Millisecond
	// A running search (matches) cannot be stopped: these bound the instructions and the message of an expression with
	// one, whose product is maxRegexpWork.
	maxMatchesProgram = 1_000
	maxMatchesMessage = maxRegexpWork / maxMatchesProgram
	// interrupt is the number of loop iterations between checks of the time.
	interrupt = 100
)

// An Expression is a CEL expression about a message (§6.3, SDK §4.3).
//
// It has only CEL's standard functions and macros, so that documents stay portable. A number written as an integer that
// fits is an int, any other a double: the two compare with each other, but arithmetic between them is an error, as in
// CEL. Of duplicate members the last counts.
type Expression struct {
	parsed    *cel.Ast
	variables []string
	loops     bool // has a macro that iterates over a list or a map
	matches   bool // searches with a regular expression

	once    sync.Once // for what only evaluation needs
	program cel.Program
	err     error // parses but cannot be evaluated
}

var errSlow = fmt.Errorf("it took longer than %s", ExpressionTime)

// environment is shared by all expressions: standard CEL and the message.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.ParserExpressionSizeLimit(maxExpressionText),
		cel.ParserRecursionLimit(maxExpressionDepth),
		cel.ExpressionNodeLimit(maxExpressionNodes),
		cel.RegexProgramSizeLimit(maxMatchesProgram),
		cel.Variable("message", cel.DynType),
	)
})

// ParseExpression parses an expression on the message and variables. It checks only the syntax (V-014): unknown names
// and mismatched types are evaluation errors.
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

func (x *Expression) compileProgram() {
	env, err := environment()
	if err != nil {
		x.err = err // excluded by ParseExpression
		return
	}
	x.program, x.err = env.Program(checked(env, x.parsed, x.variables),
		cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxExpressionCost), cel.InterruptCheckFrequency(interrupt))
}

// firstIssue returns the first error and its position. CEL's own message quotes the whole line for each error, with a caret below.
func firstIssue(issues *cel.Issues) error {
	all := issues.Errors()
	if len(all) == 0 {
		return errors.New("not an expression")
	}
	msg := excerpt.Clip(strings.TrimPrefix(all[0].Message, "Syntax error: "), mostQuoted)
	if at := all[0].Location; at != nil && at.Line() > 0 {
		return fmt.Errorf("at %d:%d of it: %s", at.Line(), max(at.Column(), 0)+1, msg)
	}
	return errors.New(msg)
}

// checked returns the type-checked expression, which runs a third faster, or parsed itself if checking finds an error
// that evaluation will report.
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

// An ErrorKind says why an expression or condition was neither true nor false, as in SDK §2.20.
type ErrorKind string

// The kinds.
const (
	TypeError    ErrorKind = "type_error"    // the result is not a boolean
	CELError     ErrorKind = "cel_error"     // missing name or member, mismatched types, exceeded limit
	RegexTimeout ErrorKind = "regex_timeout" // searching a text could take too long
)

// An EvalError is the failure of one evaluation.
type EvalError struct {
	Kind ErrorKind
	Err  error
}

func (e *EvalError) Error() string { return e.Err.Error() }

func (e *EvalError) Unwrap() error { return e.Err }

// A Binding is a variable of an expression and its value; absent means null.
type Binding struct {
	Name  string
	Value rawjson.Value
}

// Eval evaluates the expression. ctx bounds all evaluations of a document together, ExpressionTime this one. Every
// failure is an *EvalError.
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

// checkBindings rejects a message that could take too long to search.
func (x *Expression) checkBindings(bindings []Binding) error {
	for _, b := range bindings {
		if n := len(b.Value.Raw()); x.matches && n > maxMatchesMessage {
			return &EvalError{RegexTimeout, fmt.Errorf("%d bytes are too long for an expression with matches; at most %d", n, maxMatchesMessage)}
		}
	}
	return nil
}

// evaluateProgram evaluates with the time limit. CEL checks the time only in loops, and watching costs as much as a
// short expression, so expressions without loops are not watched.
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

// explainError rephrases CEL's errors about limits.
func explainError(err error) error {
	if stopped, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && stopped.Cause == interpreter.CostLimitExceeded {
		return fmt.Errorf("the expression does more than %d steps", maxExpressionCost)
	}
	return err
}
