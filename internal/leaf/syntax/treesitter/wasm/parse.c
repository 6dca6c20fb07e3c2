// The only functions that the Go side calls. One call parses a text and flattens its tree, so
// that no question about a single node crosses the border.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_tsx(void);

#define EXPORT(name) __attribute__((export_name(#name)))
__attribute__((import_module("host"), import_name("stop"))) int host_stop(void);

enum { PYTHON, JAVASCRIPT, TYPESCRIPT, TSX };

static const TSLanguage *language(int id) {
  switch (id) {
  case PYTHON: return tree_sitter_python();
  case JAVASCRIPT: return tree_sitter_javascript();
  case TYPESCRIPT: return tree_sitter_typescript();
  default: return tree_sitter_tsx();
  }
}

// Address zero is ordinary memory here, so that an allocation that failed has to stop the machine.
static void *checked(void *p) {
  if (!p) __builtin_trap();
  return p;
}

EXPORT(alloc) void *alloc(uint32_t bytes) { return checked(malloc(bytes)); }
EXPORT(kind_count) uint32_t kind_count(int lang) { return ts_language_symbol_count(language(lang)); }
EXPORT(kind_name) const char *kind_name(int lang, uint32_t id) { return ts_language_symbol_name(language(lang), id); }
EXPORT(kind_named) int kind_named(int lang, uint32_t id) {
  return ts_language_symbol_type(language(lang), id) == TSSymbolTypeRegular;
}
EXPORT(field_count) uint32_t field_count(int lang) { return ts_language_field_count(language(lang)); }
EXPORT(field_name) const char *field_name(int lang, uint32_t id) {
  const char *name = ts_language_field_name_for_id(language(lang), id);
  return name ? name : "";
}

// What the Go side knows of a kind; parse.go has the same bits.
enum { CLOSED = 1, NAMED = 2, COMMENT = 4 };

// 20 bytes, as parse.go reads them.
typedef struct { uint16_t kind, field; uint32_t start, end; int32_t child, next; } Node;

static struct {
  Node *nodes;
  uint32_t node_count;
  uint32_t *errors; // where ERROR nodes begin
  uint32_t error_count;
  uint32_t broken;
} result;

// The parser copies what it reads and keeps every copy until it is done, so it gets pieces.
enum { PIECE = 16 << 10 };

typedef struct { const char *text; uint32_t len; int64_t questions, bytes; } Budget;

static const char *read_piece(void *payload, uint32_t at, TSPoint point, uint32_t *len) {
  Budget *b = payload;
  (void)point;
  if (at >= b->len || b->bytes < 0) {
    *len = 0;
    return "";
  }
  *len = b->len - at < PIECE ? b->len - at : PIECE;
  b->bytes -= *len;
  return b->text + at;
}

static bool spent(TSParseState *state) {
  Budget *b = state->payload;
  b->questions--;
  return b->questions < 0 || b->bytes < 0 || (b->questions % 256 == 0 && host_stop());
}

static TSTree *parse_text(int lang, Budget *budget) {
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, language(lang));
  TSInput input = {budget, read_piece, TSInputEncodingUTF8, NULL};
  TSParseOptions options = {budget, spent};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  ts_parser_delete(parser);
  if (tree && budget->bytes < 0) {
    ts_tree_delete(tree);
    return NULL;
  }
  return tree;
}

static void append_error(uint32_t at) {
  uint32_t n = result.error_count;
  if ((n & (n - 1)) == 0) // grows at powers of two
    result.errors = checked(realloc(result.errors, (n ? 2 * n : 1) * sizeof *result.errors));
  result.errors[result.error_count++] = at;
}

static uint32_t node_room;

static void append_node(Node node) {
  if (result.node_count == node_room) {
    node_room *= 2;
    result.nodes = checked(realloc(result.nodes, node_room * sizeof(Node)));
  }
  result.nodes[result.node_count++] = node;
}

// copy_node appends the node under the cursor if it is kept, and says whether its children matter.
static bool copy_node(TSTreeCursor *cursor, const uint8_t *flags, uint32_t kinds, bool *kept) {
  TSNode at = ts_tree_cursor_current_node(cursor);
  uint32_t kind = ts_node_symbol(at), field = 0;
  bool error = kind >= kinds; // ERROR has the symbol 65535
  *kept = false;
  if (error) {
    kind = 0; // "end", which is no node of a tree
    append_error(ts_node_start_byte(at));
  } else if (flags[kind] & NAMED) {
    if (flags[kind] & COMMENT) return false;
    field = ts_tree_cursor_current_field_id(cursor);
  } else {
    if (flags[kind] & CLOSED) return false;
    field = ts_tree_cursor_current_field_id(cursor);
    if (!field) return false;
  }
  *kept = true;
  append_node((Node){kind, field, ts_node_start_byte(at), ts_node_end_byte(at), -1, -1});
  return error || ((flags[kind] & NAMED) && !(flags[kind] & CLOSED));
}

enum { TOO_DEEP = 2 };

// copy_tree walks once with a cursor: asking a node for its nth child takes time proportional to n.
static int copy_tree(TSNode root, const uint8_t *flags, uint32_t kinds, uint32_t max_depth) {
  int32_t *parents = checked(malloc((max_depth + 1) * sizeof *parents));
  int32_t *newest = checked(malloc((max_depth + 1) * sizeof *newest)); // child of each parent
  uint32_t depth = 0;
  int ok = 1;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (bool more = true; more;) {
    bool kept, descend = copy_node(&cursor, flags, kinds, &kept);
    int32_t n = (int32_t)result.node_count - 1;
    if (kept && depth) {
      if (newest[depth - 1] < 0)
        result.nodes[parents[depth - 1]].child = n;
      else
        result.nodes[newest[depth - 1]].next = n;
      newest[depth - 1] = n;
    }
    if (descend && ts_tree_cursor_goto_first_child(&cursor)) {
      if (depth >= max_depth) {
        ok = TOO_DEEP;
        break;
      }
      parents[depth] = n;
      newest[depth++] = -1;
      continue;
    }
    while (depth && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      depth--;
      ts_tree_cursor_goto_parent(&cursor);
    }
    more = depth > 0;
  }
  ts_tree_cursor_delete(&cursor);
  free(parents);
  free(newest);
  return ok;
}

// parse returns 1 and fills result, 0 when the budget was spent, or TOO_DEEP. It frees the text;
// flags has a byte for each kind of the grammar.
EXPORT(parse) int parse(int lang, char *text, uint32_t len, const uint8_t *flags, uint32_t kinds, int64_t questions, int64_t bytes, uint32_t max_depth) {
  memset(&result, 0, sizeof result);
  Budget budget = {text, len, questions, bytes};
  TSTree *tree = parse_text(lang, &budget);
  free(text);
  if (!tree) return 0;
  TSNode root = ts_tree_root_node(tree);
  result.broken = ts_node_has_error(root);
  node_room = len / 6 + 16;
  result.nodes = checked(malloc(node_room * sizeof(Node)));
  int ok = copy_tree(root, flags, kinds, max_depth);
  ts_tree_delete(tree);
  return ok;
}

EXPORT(result) void *get_result(void) { return &result; }

EXPORT(release) void release(void) {
  free(result.nodes);
  free(result.errors);
  memset(&result, 0, sizeof result);
}
